/**
 * Precompiled headers for device code: libtorch's headers and CUDA's, in which the shared code of compile servers is
 * marked (native/compile_server/precompile.h). A compiler makes no code for it, so a kernel compiles in a third of
 * the time. What is compiled so needs the library of shared code, which only this machine has: libraries for the
 * virtual GPU never leave it.
 */
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { runCompiler } from '../../toolchain/run-compiler'
import type { CompileTools } from '../compile-tools'
import { preludeFlags } from '../flags'
import type { Prelude } from '../flags'
import { writeGenerated } from '../generated-sources'
import { findServerProgram, hostHeaders } from '../hot/server-program'
import type { ServerProgram } from '../hot/server-program'
import { flagsForServer } from '../hot/server-flags'
import {
  clangHeaderFlags,
  headerPlace,
  precompiledFlags,
  writeHeader,
} from '../precompiled-headers'
import type { MadeHeader, PrecompiledHeader } from '../precompiled-headers'
import { hashOf } from '../result-cache'
import { deviceCodeFlags, headerFlags } from './flags'
import { deviceCodeHeaders } from './gpu-sources'

/** Device code that starts from another prelude has no header of its own. */
export type DevicePrelude = Exclude<Prelude, 'stable'>

export const isDevicePrelude = (prelude: Prelude | undefined): prelude is DevicePrelude =>
  prelude !== undefined && prelude !== 'stable'

/** What the device headers of one toolchain are for. */
export interface DeviceHeaderTools {
  /** clang's, for the virtual GPU. */
  tools: CompileTools
  /** DeviceLibraries.identity: changes with our CUDA headers. */
  identity: string
}

/** The same with the program that makes them. */
type DeviceHeaderMaker = DeviceHeaderTools & { program: ServerProgram }

export interface DeviceHeader extends PrecompiledHeader {
  /** What is compiled with it is linked with this library. */
  sharedCode: string
}

function flagsOf({ tools }: DeviceHeaderTools, prelude: DevicePrelude): string[] {
  const { installation, toolchain, includes } = tools
  return [
    ...precompiledFlags(toolchain, includes, 'plain'),
    ...preludeFlags(prelude),
    ...deviceCodeFlags,
    ...headerFlags(installation.root),
  ]
}

function textOf({ tools }: DeviceHeaderTools, prelude: DevicePrelude): string {
  const isWarm = prelude !== 'lean'
  return hostHeaders(tools.installation, prelude, { isWarm, beforeCuda: true }) + deviceCodeHeaders
}

export function locateDeviceHeader(
  wanted: DeviceHeaderMaker,
  prelude: DevicePrelude,
): DeviceHeader {
  const { tools, identity, program } = wanted
  const flags = flagsOf(wanted, prelude)
  const key = hashOf('device-header-1', program.key, identity, textOf(wanted, prelude), ...flags)
  const place = headerPlace(tools.installation, key, `device_${prelude}.pch`)
  return { prelude, key, isShared: true, sharedCode: program.sharedCode, ...place }
}

/** Families of macros that these headers read. */
const readByHeaders =
  /^(CUDA|_|OPSMITH_|TORCH_|C10_|AT_|CUB_|PYBIND11_|USE_|STRIP_ERROR_MESSAGES|NDEBUG)/
/** Macros of one source or one project, which no header reads. */
const ofOneSource = /^(TORCH_EXTENSION_NAME|OPSMITH_GPU_DEPENDENT_BLOCKS)=/

/** Macros that change what CUDA's headers declare of 16-bit types: compile servers have read those headers. */
const ofShortFloats = /^-D_*CUDA_NO_/

function ownFlags(root: string, flags: readonly string[]): string[] {
  const known = new Set(headerFlags(root))
  return flags.filter((flag) => !known.has(flag))
}

/**
 * Whether a compile server can have device code with these flags.
 * @param flags besides those that all sources share
 */
export function agreesWithDeviceServer(root: string, flags: readonly string[]): boolean {
  return !ownFlags(root, flags).some((flag) => ofShortFloats.test(flag))
}

/**
 * Whether device code with these flags can start from a device header.
 * @param flags besides those that all sources share
 */
export function agreesWithDeviceHeader(root: string, flags: readonly string[]): boolean {
  const asked = flagsForServer(ownFlags(root, flags), true)
  return (
    asked?.defines.every((macro) => ofOneSource.test(macro) || !readByHeaders.test(macro)) ?? false
  )
}

/**
 * Makes one where there is none: some twenty seconds of one core. Nothing where this machine has no compile server's
 * program.
 */
export async function makeDeviceHeader(
  wanted: DeviceHeaderTools,
  prelude: DevicePrelude,
  options: { signal?: AbortSignal | undefined; isBackground?: boolean } = {},
): Promise<Result<MadeHeader>> {
  const { tools } = wanted
  const program = await findServerProgram(tools)
  if (!program) return ok({ seconds: 0, made: false, wasDamaged: false })
  const { compiler } = tools.toolchain
  const source = writeGenerated(tools.installation, `device_${prelude}.h`, textOf(wanted, prelude))
  const flags = [...flagsOf(wanted, prelude), ...clangHeaderFlags, '-x', 'c++-header', source]
  return await writeHeader(
    locateDeviceHeader({ ...wanted, program }, prelude),
    (output) =>
      runCompiler(
        program.executable,
        ['--precompile', program.names, output, '--', compiler.path, ...flags],
        options,
      ),
    {
      message: 'Opsmith could not precompile the headers for CUDA code.',
      hint: 'You can still build. Builds of CUDA sources take longer.',
    },
  )
}
