import fs from 'node:fs'
import path from 'node:path'

import type { StackFrame } from '../../contract/outcome'
import { findAllOnPath, findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'
import { moduleOf } from './crash-report'
import type { CrashRecord } from './crash-report'

/** Reading the symbols of a larger library takes longer than anyone waits for a stack. */
const largestModule = 64 << 20
const mostFrames = 48

/** @param style LLVM's has columns */
export function findSymbolizer(
  style: 'GNU' | 'LLVM' = 'GNU',
): { tool: string; args: string[] } | undefined {
  const llvm = findOnPath('llvm-symbolizer') ?? findAllOnPath(/^llvm-symbolizer-\d+$/).at(-1)
  // Both print "function" and "file:line[:column]" line by line in this mode.
  if (llvm) return { tool: llvm, args: [`--output-style=${style}`, '-f', '-C', '--inlines'] }
  const gnu = findOnPath('addr2line')
  return gnu ? { tool: gnu, args: ['-f', '-C', '-i'] } : undefined
}

export interface Located {
  symbol: string
  file: string | undefined
  line: number | undefined
  /** Undefined where the tool knows no columns. */
  column: number | undefined
}

/** Pairs of lines: a function, and "file:line". */
function readFrames(lines: readonly string[]): Located[] {
  const frames: Located[] = []
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const place = /^(.*?):(\d+)(?::(\d+))?(?: .*)?$/.exec(lines[index + 1] ?? '')
    frames.push({
      symbol: lines[index] === '??' ? '' : (lines[index] ?? ''),
      file: place?.[1] === '??' || Number(place?.[2]) === 0 ? undefined : place?.[1],
      line: Number(place?.[2]) || undefined,
      column: Number(place?.[3]) || undefined,
    })
  }
  return frames
}

/** @returns the frames of each offset, in order; none where the tool gave no answer */
export async function locateOffsets(
  module: string,
  offsets: readonly bigint[],
): Promise<Located[][]> {
  const symbolizer = findSymbolizer('LLVM')
  if (!symbolizer) return []
  const addresses = offsets.map((offset) => `0x${offset.toString(16)}`)
  const result = await runProcess(
    symbolizer.tool,
    [...symbolizer.args, '-a', '-e', module, ...addresses],
    { limits: { seconds: 15, outputBytes: 4 << 20, memoryBytes: 0 } },
  )
  if (result.exitCode !== 0) return []
  const answers: string[][] = []
  for (const line of result.stdout.split('\n')) {
    // By -a each answer begins with its address; no name of a function begins with a digit.
    if (/^0x[0-9a-f]+$/.test(line)) answers.push([])
    else if (line !== '') answers.at(-1)?.push(line)
  }
  return answers.length === offsets.length ? answers.map(readFrames) : []
}

/** Built objects name their sources relative to the project's folder. */
export function absoluteFile(file: string, userFolders: readonly string[]): string {
  if (file === '' || path.isAbsolute(file)) return file
  const candidates = userFolders.map((folder) => path.resolve(folder, file))
  return candidates.find((candidate) => fs.existsSync(candidate)) ?? file
}

function isOurs(module: string): boolean {
  return path.basename(module) === 'opsmith_native.node'
}

/** One address of a stack. */
export interface CodeAddress {
  /** As it is shown: "0x7f12". */
  address: string
  /** The file it lies in; "" when that is not known. */
  module: string
  /** Within the file, of an instruction of the call. */
  offset: bigint
}

/** Functions and lines of addresses, in order, functions that were inlined as frames of their own. */
export async function locateFrames(
  addresses: readonly CodeAddress[],
  userFolders: readonly string[],
): Promise<StackFrame[]> {
  const byModule = new Map<string, { index: number; offset: bigint }[]>()
  const frames: StackFrame[][] = []
  addresses.slice(0, mostFrames).forEach(({ address, module, offset }, index) => {
    frames[index] = [
      { address, symbol: '', module: module === '' ? '' : path.basename(module), isUser: false },
    ]
    if (module === '' || !fs.existsSync(module) || fs.statSync(module).size > largestModule) return
    byModule.set(module, [...(byModule.get(module) ?? []), { index, offset }])
  })
  for (const [module, entries] of byModule) {
    const answers = await locateOffsets(
      module,
      entries.map((entry) => entry.offset),
    )
    entries.forEach((entry, position) => {
      const located = answers[position]
      if (!located || located.length === 0) return
      const address = frames[entry.index]?.[0]?.address ?? ''
      frames[entry.index] = located.map((frame) => {
        const file = frame.file === undefined ? undefined : absoluteFile(frame.file, userFolders)
        return {
          address,
          symbol: frame.symbol,
          module: path.basename(module),
          ...(file === undefined ? {} : { file }),
          ...(frame.line === undefined ? {} : { line: frame.line }),
          isUser: userFolders.some((folder) => file?.startsWith(folder + path.sep) === true),
        }
      })
    })
  }
  return frames.flat()
}

/** Addresses to functions and lines; user frames are those in `userFolders`. Our own frames at the bottom go. */
export async function symbolize(
  record: CrashRecord,
  userFolders: readonly string[],
): Promise<StackFrame[]> {
  const addresses = record.frames.map((address, index): CodeAddress => {
    const module = moduleOf(record, address)
    // All but the first are return addresses: the call is just before them.
    const offset = index === 0 ? 0n : 1n
    return {
      address: `0x${address.toString(16)}`,
      module: module?.path ?? '',
      offset: (module?.offset ?? 0n) - offset,
    }
  })
  const flat = await locateFrames(addresses, userFolders)
  const lastUser = flat.findLastIndex((frame) => frame.isUser)
  const firstOurs = flat.findIndex((frame, index) => index > lastUser && isOurs(frame.module))
  return lastUser >= 0 && firstOurs > 0 ? flat.slice(0, firstOurs) : flat
}
