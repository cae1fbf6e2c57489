import fs from 'node:fs'
import path from 'node:path'

import type { Toolchain } from '../../toolchain/choose'
import { findOnPath } from '../../toolchain/find-on-path'
import { runProcess } from '../../toolchain/run-command'
import { temporaryBeside } from '../sealed-files'

/**
 * The linker, called without the compiler's driver and without reading libtorch's symbols. A symbol that nobody defines
 * is therefore found when the library is loaded, not here.
 */
export interface DirectLinker {
  command: string
  /** An empty library with the soname of the shared code. To read the ten thousand symbols of the real one takes time. */
  sharedCodeStub: string
  args(objects: readonly string[], output: string, more: readonly string[]): string[]
}

export const sharedCodeLibrary = 'libopsmith_shared_code.so'

/**
 * gold, if it is on PATH. It links an elementwise operator in 22 ms. lld takes 40 ms, because it first loads all of LLVM.
 * gold reads archives and some flags differently, so it only gets objects and empty libraries.
 */
export const quickLinker = (): string | undefined => findOnPath('ld.gold')

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
  const names = ['libtorch.so', 'libtorch_cpu.so', 'libc10.so']
  if (libtorch.hasCuda) names.push('libtorch_cuda.so', 'libc10_cuda.so')
  fs.mkdirSync(stubs, { recursive: true })
  const stubOf = (name: string): string => path.join(stubs, name)
  for (const name of [...names, sharedCodeLibrary]) {
    const file = stubOf(name)
    if (fs.existsSync(file)) continue
    const temporary = temporaryBeside(file)
    const start = objects[0] ?? ''
    const made = await runProcess(command, [
      '-m',
      machine,
      '-shared',
      '-soname',
      name,
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
    sharedCodeStub: stubOf(sharedCodeLibrary),
    args: (inputs, output, more) => [...before, ...inputs, ...more, ...after, '-o', output],
  }
}
