import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { Toolchain } from '../toolchain/choose'
import type { CommandResult } from '../toolchain/run-command'
import { runCompiler } from '../toolchain/run-compiler'
import { commonFlags, preludeFlags } from './flags'
import type { BuildVariant, Prelude } from './flags'
import type { CompileTools } from './compile-tools'
import type { IncludeSnapshot } from './include-snapshot'
import { hashOf, pruneFolder } from './result-cache'
import { discardFolder, folderState, placeSealedFolder, temporaryBeside } from './sealed-files'

const limitBytes = 3 * 2 ** 30

export interface PrecompiledHeader {
  prelude: Prelude
  key: string
  /** clang: -include-pch takes this file; g++: -include takes it without .gch. */
  file: string
  ready: boolean
  /** It serves all optimization levels. */
  isShared: boolean
  /** It was damaged and is removed: it has to be made again. */
  wasDamaged: boolean
}

export interface MadeHeader {
  seconds: number
  made: boolean
  wasDamaged: boolean
}

function servesAllLevels(toolchain: Toolchain, variant: BuildVariant): boolean {
  return toolchain.compiler.family === 'clang' && variant === 'plain'
}

/**
 * The flags that a precompiled header is made with. clang keeps a syntax tree in it, and makes code in the compile that
 * reads it, so all optimization levels share a header that was made with -O2. g++ needs one for each level.
 */
export function precompiledFlags(
  toolchain: Toolchain,
  includes: IncludeSnapshot,
  variant: BuildVariant,
): string[] {
  const flags = commonFlags(toolchain, includes, variant)
  if (!servesAllLevels(toolchain, variant)) return flags
  return flags.map((flag) => (/^-O[013]$/.test(flag) ? '-O2' : flag))
}

/** A shared header defines the macros of -O2. These flags define the macros of -O0 instead. */
const macrosOfO0 = ['-U__OPTIMIZE__', '-D__NO_INLINE__=1']

export function locatePrecompiled(
  { installation, toolchain, includes }: CompileTools,
  prelude: Prelude,
  variant: BuildVariant,
): PrecompiledHeader {
  const key = hashOf(
    'pch-2',
    prelude,
    toolchain.compiler.identity,
    toolchain.libtorch.identity,
    includes.key,
    ...precompiledFlags(toolchain, includes, variant),
  )
  const name = toolchain.compiler.family === 'clang' ? `${prelude}.pch` : `${prelude}.h.gch`
  const isShared = servesAllLevels(toolchain, variant)
  return { prelude, key, isShared, ...headerPlace(installation, key, name) }
}

/** Where a precompiled header goes, and whether it is there. */
export function headerPlace(
  installation: Installation,
  key: string,
  name: string,
): Pick<PrecompiledHeader, 'file' | 'ready' | 'wasDamaged'> {
  const base = path.join(installation.cacheFolder, 'precompiled')
  fs.mkdirSync(base, { recursive: true })
  const folder = path.join(fs.realpathSync(base), key)
  const state = folderState(folder)
  if (state === 'damaged') discardFolder(folder)
  return {
    file: path.join(folder, name),
    ready: state === 'intact',
    wasDamaged: state === 'damaged',
  }
}

/** Flags that make a compile start from the precompiled header. */
export function usePrecompiled(toolchain: Toolchain, header: PrecompiledHeader): string[] {
  const now = new Date()
  try {
    fs.utimesSync(path.dirname(header.file), now, now)
  } catch {
    // Being pruned next is the worst that can come of it.
  }
  if (toolchain.compiler.family !== 'clang')
    return ['-include', header.file.replace(/\.gch$/, ''), '-Winvalid-pch']
  return [
    '-include-pch',
    header.file,
    // Its key covers all it holds, so clang need not look at the headers' times again.
    '-Xclang',
    '-fno-validate-pch',
    ...(header.isShared && toolchain.options.optimization === 'O0' ? macrosOfO0 : []),
  ]
}

/** Makes one precompiled header; two processes may make the same one, the first to finish wins. */
export async function makePrecompiled(
  tools: CompileTools,
  prelude: Prelude,
  variant: BuildVariant,
  {
    signal,
    isBackground = false,
  }: { signal?: AbortSignal | undefined; isBackground?: boolean } = {},
): Promise<Result<MadeHeader>> {
  const { toolchain, includes } = tools
  const header = locatePrecompiled(tools, prelude, variant)
  const source = path.join(includes.folder, 'include', 'opsmith', `prelude_${prelude}.h`)
  const clang = toolchain.compiler.family === 'clang'
  const compile = async (output: string): Promise<CommandResult> => {
    // g++ looks for lean.h.gch next to lean.h.
    const text = output.replace(/\.gch$/, '')
    if (!clang) fs.writeFileSync(text, `#include "${source}"\n`)
    return await runCompiler(
      toolchain.compiler.path,
      [
        ...precompiledFlags(toolchain, includes, variant),
        ...preludeFlags(prelude),
        ...(clang ? clangHeaderFlags : []),
        '-x',
        'c++-header',
        clang ? source : text,
        '-o',
        output,
      ],
      { signal, isBackground },
    )
  }
  const isPlain = variant === 'plain'
  return await writeHeader(header, compile, {
    message: `${toolchain.compiler.path} could not precompile libtorch's headers, so ${isPlain ? 'builds take longer' : 'Opsmith cannot build with the sanitizers'}.`,
    hint: isPlain ? `You can still build. ${doctor}` : doctor,
  })
}

const doctor = 'Doctor lists the compilers of this machine and the problems of each compiler.'

/** The header names no time, and what it instantiates need not be instantiated again. */
export const clangHeaderFlags: readonly string[] = [
  '-Xclang',
  '-fno-pch-timestamp',
  '-fpch-instantiate-templates',
]

/**
 * Makes a header where there is none.
 * @param compile writes it to `output`
 * @param failed what to say where that fails
 */
export async function writeHeader(
  header: Pick<PrecompiledHeader, 'file' | 'ready' | 'wasDamaged'>,
  compile: (output: string) => Promise<CommandResult>,
  failed: { message: string; hint: string },
): Promise<Result<MadeHeader>> {
  const { file, ready, wasDamaged } = header
  if (ready) return ok({ seconds: 0, made: false, wasDamaged })
  const folder = path.dirname(file)
  const temporary = temporaryBeside(folder)
  fs.mkdirSync(temporary, { recursive: true })
  try {
    const result = await compile(path.join(temporary, path.basename(file)))
    if (result.stopped === 'cancelled')
      return err('cancelled', 'The precompiled header was not made, because the work was stopped.')
    if (result.exitCode !== 0)
      return err('toolchain.mismatch', failed.message, {
        hint: failed.hint,
        detail: result.stderr.slice(0, 4000),
      })
    await placeSealedFolder(temporary, folder)
    pruneFolder(path.dirname(folder), limitBytes)
    return ok({ seconds: result.seconds, made: true, wasDamaged })
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}
