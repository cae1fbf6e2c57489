import fs from 'node:fs'
import path from 'node:path'

import type { Toolchain } from '../../toolchain/choose'
import { findOnPath } from '../../toolchain/find-on-path'
import { runProcess } from '../../toolchain/run-command'
import { temporaryBeside } from '../sealed-files'

/**
 * The linker, called without the compiler's driver and without reading libtorch's symbols: 25 ms in place of
 * 100. A symbol that nobody defines is therefore found when the library is loaded, not here.
 */
export interface DirectLinker {
  command: string
  /** Links small libraries in half the time of `command`, and may not know its flags; `command` where there is none. */
  quick: string
  /** An empty library of the name of the shared code's: it has ten thousand symbols. */
  sharedCodeStub: string
  args(objects: readonly string[], output: string, more: readonly string[]): string[]
}

export const sharedCodeName = 'libopsmith_shared_code'

/** Whether every linker knows these flags of linkerFlags(): they name files and folders. */
export const isPlainLink = (flags: readonly string[]): boolean =>
  flags.every((flag) => /^-[lL]|^[^-]/.test(flag))

/**
 * Flags for the compiler's driver as the linker itself takes them.
 * @returns undefined when one of them is the driver's own business
 */
export function linkerFlags(flags: readonly string[]): string[] | undefined {
  const words: string[] = []
  for (const flag of flags) {
    if (flag.startsWith('-Wl,')) words.push(...flag.slice('-Wl,'.length).split(','))
    else if (/^-[lL]./.test(flag) || /^[^-].*\.(a|o|so)(\.\d+)*$/.test(flag)) words.push(flag)
    else return undefined
  }
  return words
}

/** The words of the command line that `clang -###` prints, each in quotes. */
function quotedWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replace(/\\(.)/g, '$1'),
  )
}

const known = new Map<string, Promise<DirectLinker | undefined>>()

/**
 * @param stubs folder for empty libraries of libtorch's names, so that what is linked asks for the real ones
 */
export async function directLinker(
  toolchain: Toolchain,
  stubs: string,
): Promise<DirectLinker | undefined> {
  const key = [toolchain.compiler.identity, toolchain.libtorch.identity, stubs].join('\n')
  let answer = known.get(key)
  if (!answer) {
    answer = ask(toolchain, stubs)
    known.set(key, answer)
    void answer.then((found) => {
      if (!found) known.delete(key)
    })
  }
  return await answer
}

async function ask(toolchain: Toolchain, stubs: string): Promise<DirectLinker | undefined> {
  const { compiler, libtorch } = toolchain
  const { stderr } = await runProcess(
    compiler.path,
    ['-###', '-shared', `--ld-path=${compiler.linker}`, '-x', 'c++', '/dev/null', '-o', 'a.so'],
    { env: { ...process.env, LC_ALL: 'C' } },
  )
  const words = quotedWords(stderr.trim().split('\n').at(-1) ?? '')
  const command = words[0]
  const objects = words.filter((word) => /\/crt\w*\.o$/.test(word))
  const crtBegin = objects.find((word) => word.includes('crtbegin'))
  const machine = words[words.indexOf('-m') + 1]
  if (command === undefined || crtBegin === undefined || machine === undefined) return undefined
  const isEnd = (word: string): boolean => /crt(end|n)\w*\.o$/.test(word)
  const names = ['libtorch', 'libtorch_cpu', 'libc10']
  if (libtorch.hasCuda) names.push('libtorch_cuda', 'libc10_cuda')
  fs.mkdirSync(stubs, { recursive: true })
  const stubOf = (name: string): string => path.join(stubs, `${name}.so`)
  for (const name of [...names, sharedCodeName]) {
    const file = stubOf(name)
    if (fs.existsSync(file)) continue
    const temporary = temporaryBeside(file)
    const start = objects[0] ?? ''
    const made = await runProcess(command, [
      '-m',
      machine,
      '-shared',
      '-soname',
      `${name}.so`,
      start,
      '-o',
      temporary,
    ])
    if (made.exitCode !== 0) return undefined
    fs.renameSync(temporary, file)
  }
  const before = [
    // Without --eh-frame-hdr any exception ends the process.
    '--hash-style=gnu',
    '--build-id',
    '--eh-frame-hdr',
    '-m',
    machine,
    '-shared',
    ...objects.filter((word) => !isEnd(word)),
    ...words.filter((word) => word.startsWith('-L')),
  ]
  const after = [
    '--no-as-needed',
    ...names.map(stubOf),
    '--as-needed',
    '-rpath',
    path.join(libtorch.folder, 'lib'),
    // Some of either is linked into every library: arithmetic that the processor lacks, atexit.
    `-L${path.dirname(crtBegin)}`,
    '-lgcc',
    '-lc',
    ...objects.filter(isEnd),
  ]
  return {
    command,
    // It is a small program; lld first loads all of LLVM.
    quick: findOnPath('ld.gold') ?? command,
    sharedCodeStub: stubOf(sharedCodeName),
    args: (inputs, output, more) => [...before, ...inputs, ...more, ...after, '-o', output],
  }
}
