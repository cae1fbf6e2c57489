import fs from 'node:fs'
import path from 'node:path'

import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Installation } from '../../installation'
import type { Toolchain } from '../../toolchain/choose'
import { runCompiler } from '../../toolchain/run-compiler'
import type { IncludeSnapshot } from '../include-snapshot'
import type { CompileTools } from '../compile-tools'
import { hashOf, pruneFolder } from '../result-cache'
import { discardFolder, folderState, placeSealedFolder, temporaryBeside } from '../sealed-files'
import { commonFlags, preludeFlags } from '../flags'
import type { Prelude } from '../flags'
import { headerFlags } from '../virtual-gpu/flags'
import { deviceCodeHeaders } from '../virtual-gpu/gpu-sources'
import type { ClangLibraries } from './clang-libraries'
import { directLinker, sharedCodeLibrary } from './direct-link'
import type { DirectLinker } from './direct-link'

const limitBytes = 2 ** 29

/** The compile server for one toolchain, and the library of code that what it builds shares. */
export interface ServerProgram {
  executable: string
  /** Mangled names of what `sharedCode` defines, a line each. */
  names: string
  sharedCode: string
  linker: DirectLinker
  /** Part of the key of every object that it makes. */
  key: string
}

/** A server that starts after these headers also serves sources that ask for less. */
export type ServerPrelude = Extract<Prelude, 'extension' | 'full'>

/** What a server has read before it gets a source. */
export interface ServerStart {
  prelude: ServerPrelude
  /** It is for device code of the virtual GPU: it has read CUDA's headers too, after libtorch's. */
  gpu?: {
    /** With Opsmith's CUDA headers. */
    root: string
    /** Changes with them. */
    identity: string
  }
}

/** What clang is told in the server, its source excepted. */
export function serverFlags(
  toolchain: Toolchain,
  includes: IncludeSnapshot,
  { prelude, gpu }: ServerStart,
): string[] {
  return [
    ...commonFlags(toolchain, includes, 'plain'),
    ...preludeFlags(prelude),
    ...(gpu ? headerFlags(gpu.root) : []),
    // Of the virtual GPU's device code: what is a keyword is settled when clang starts.
    '-fdeclspec',
    '-fno-color-diagnostics',
  ]
}

const homeOf = (installation: Installation): string =>
  path.join(installation.root, 'native', 'compile_server')

const included = (file: string): string => `#include "${file}"\n`

/** Opsmith's own headers: they ask libtorch's headers once for what most operators ask of them. */
const warmHeader = (installation: Installation, name: string): string =>
  included(path.join(homeOf(installation), name))

/**
 * libtorch's headers, then what most operators ask of them.
 * @param isWarm false for a prelude that has less than operators ask for
 * @param beforeCuda CUDA's headers are found before the C library's, and come later
 */
export function hostHeaders(
  installation: Installation,
  prelude: Prelude,
  { isWarm, beforeCuda }: { isWarm: boolean; beforeCuda: boolean },
): string {
  const headers = `#include <opsmith/prelude_${prelude}.h>\n${isWarm ? warmHeader(installation, 'warm.h') : ''}`
  return beforeCuda
    ? `#define OPSMITH_GPU_HOST_HEADERS\n${headers}#undef OPSMITH_GPU_HOST_HEADERS\n`
    : headers
}

/**
 * The source that a server starts from: the headers, then what most operators ask of them.
 * @param precompiled the headers are there already
 */
export function preludeText(
  installation: Installation,
  { prelude, gpu }: ServerStart,
  precompiled: boolean,
): string {
  const beforeCuda = gpu !== undefined
  const headers = precompiled
    ? warmHeader(installation, 'warm.h')
    : hostHeaders(installation, prelude, { isWarm: true, beforeCuda })
  const cuda = gpu ? `${deviceCodeHeaders}${warmHeader(installation, 'warm_gpu.h')}` : ''
  return `${headers}${cuda}#pragma opsmith_serve\n`
}

/** What the library of shared code is made of. */
const sharedCodeStart: ServerStart = { prelude: 'extension' }

interface Place {
  folder: string
  sources: string[]
  key: string
}

/** Where the server goes that is made with these tools: with others it is another one. */
function placeOf({ installation, toolchain, includes }: CompileTools): Place {
  const home = homeOf(installation)
  const files = fs.readdirSync(home).sort()
  const key = hashOf(
    'compile-server-4',
    toolchain.compiler.identity,
    toolchain.compiler.linker,
    toolchain.libtorch.identity,
    includes.key,
    ...serverFlags(toolchain, includes, sharedCodeStart),
    ...files.map((name) => fs.readFileSync(path.join(home, name))),
  )
  const sources = files.filter((name) => name.endsWith('.cpp')).map((name) => path.join(home, name))
  const base = path.join(installation.cacheFolder, 'compile-server')
  fs.mkdirSync(base, { recursive: true })
  return { folder: path.join(fs.realpathSync(base), key), sources, key }
}

async function programIn(place: Place, toolchain: Toolchain): Promise<ServerProgram | undefined> {
  const { folder, key } = place
  const sharedCode = path.join(folder, sharedCodeLibrary)
  const state = folderState(folder)
  if (state === 'damaged') discardFolder(folder)
  if (state !== 'intact') return undefined
  const now = new Date()
  fs.utimesSync(folder, now, now)
  const linker = await directLinker(toolchain, path.join(folder, 'stubs'))
  if (!linker) return undefined
  return {
    executable: path.join(folder, 'opsmith_compile_server'),
    names: path.join(folder, 'shared_code.names'),
    sharedCode,
    linker,
    key,
  }
}

/** What a window shows in the meantime, once for all that wait for it. */
export const makingServer = 'making the compile server'

const withoutServer = 'You can still build. Without the compile server, builds take longer.'

export interface MadeProgram {
  program: ServerProgram
  seconds: number
  made: boolean
}

/** The one that was made on this machine earlier. */
export async function findServerProgram(tools: CompileTools): Promise<ServerProgram | undefined> {
  return await programIn(placeOf(tools), tools.toolchain)
}

/** By where they go: set-up in the background and a first build may both want the same one. */
const beingMade = new Map<string, Promise<Result<MadeProgram>>>()

/**
 * Compiles the server against clang's libraries, and with it the library of shared code; about half a minute.
 * Two processes may make the same one, the first to finish wins.
 */
export async function makeServerProgram(
  tools: CompileTools,
  libraries: ClangLibraries,
  signal: AbortSignal | undefined,
  isBackground = false,
): Promise<Result<MadeProgram>> {
  const place = placeOf(tools)
  const running = beingMade.get(place.folder)
  if (running) return await running
  const making = make(place, tools, libraries, { signal, isBackground })
  beingMade.set(place.folder, making)
  try {
    return await making
  } finally {
    beingMade.delete(place.folder)
  }
}

async function make(
  place: Place,
  { installation, toolchain, includes }: CompileTools,
  libraries: ClangLibraries,
  { signal, isBackground }: { signal: AbortSignal | undefined; isBackground: boolean },
): Promise<Result<MadeProgram>> {
  const before = await programIn(place, toolchain)
  if (before) return ok({ program: before, seconds: 0, made: false })
  const started = performance.now()
  const temporary = temporaryBeside(place.folder)
  fs.mkdirSync(temporary, { recursive: true })
  const run = async (what: string, command: string, args: string[]): Promise<Result<null>> => {
    const result = await runCompiler(command, args, {
      cwd: temporary,
      signal,
      isBackground,
    })
    if (result.stopped === 'cancelled') return err('cancelled', `${what} was stopped.`)
    return result.exitCode === 0
      ? ok(null)
      : err('toolchain.mismatch', `${what} with ${toolchain.compiler.path} failed.`, {
          hint: withoutServer,
          detail: result.stderr.slice(0, 4000),
        })
  }
  try {
    const { compiler } = toolchain
    const flags = ['-std=c++20', '-O1', '-fno-rtti', '-fno-exceptions', '-w']
    // As one source: clang's headers take longer than the sources.
    const whole = path.join(temporary, 'server.cpp')
    fs.writeFileSync(whole, place.sources.map((source) => `#include "${source}"\n`).join(''))
    const server = path.join(temporary, 'server.o')
    const args = [...flags, '-isystem', libraries.include, '-c', whole, '-o', server]
    const built = await run('Compiling the compile server', compiler.path, args)
    if (!built.ok) return built
    const executable = path.join(temporary, 'opsmith_compile_server')
    const linked = await run('Linking the compile server', compiler.path, [
      server,
      `--ld-path=${compiler.linker}`,
      `-L${libraries.folder}`,
      `-l:${libraries.clang}`,
      `-l:${libraries.llvm}`,
      `-Wl,-rpath,${libraries.folder}`,
      '-o',
      executable,
    ])
    if (!linked.ok) return linked
    const prelude = path.join(temporary, 'library.cpp')
    fs.writeFileSync(prelude, preludeText(installation, sharedCodeStart, false))
    const names = path.join(temporary, 'shared_code.names')
    const object = path.join(temporary, 'library.o')
    const compiled = await run(
      'Compiling the code that all builds with the compile server share',
      executable,
      [
        '--make-shared-code',
        names,
        object,
        '--',
        compiler.path,
        ...serverFlags(toolchain, includes, sharedCodeStart),
        '-DOPSMITH_WARM_DEFINITIONS',
        '-c',
        prelude,
        '-o',
        'unused.o',
      ],
    )
    if (!compiled.ok) return compiled
    const stubs = path.join(temporary, 'stubs')
    const linker = await directLinker(toolchain, stubs)
    if (!linker)
      return err(
        'toolchain.mismatch',
        `Opsmith cannot read the linker command that ${compiler.path} -### prints.`,
        { hint: withoutServer },
      )
    const shared = await run(
      'Linking the code that all builds with the compile server share',
      linker.command,
      linker.args([object], path.join(temporary, sharedCodeLibrary), [
        // It stays when operators leave: what they left behind may point into it.
        '-z',
        'nodelete',
        '-soname',
        sharedCodeLibrary,
        // Nor does it use what an operator defines: that one could never be unloaded.
        '-Bsymbolic',
      ]),
    )
    if (!shared.ok) return shared
    for (const item of [whole, server, object]) fs.rmSync(item)
    await placeSealedFolder(temporary, place.folder)
    pruneFolder(path.dirname(place.folder), limitBytes)
    const program = await programIn(place, toolchain)
    if (!program)
      return err(
        'io',
        `The folder ${place.folder} was deleted while Opsmith wrote to it. Build again.`,
      )
    return ok({ program, seconds: (performance.now() - started) / 1000, made: true })
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}
