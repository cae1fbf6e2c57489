import type { BuildOptionValues } from '../../contract/build-options'
import type { GpuChoice } from '../../contract/gpu-choice'
import type { Settings } from '../../contract/settings'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { readSetupEnvironment, setupCommand } from '../installation'
import type { Installation } from '../installation'
import { launcherOf } from './addon-location'
import { describeCompiler, findCompilers } from './compilers'
import type { Compiler } from './compilers'
import { findCudaToolkit } from './cuda'
import type { CudaToolkit } from './cuda'
import { describeLibtorch, findLibtorchs } from './libtorch'
import type { Libtorch } from './libtorch'

/** The virtual GPU: CUDA code is compiled for the CPU, and libtorch gets a device `cuda` that runs it. */
export interface VirtualGpu {
  /** clang, whatever compiles C++. */
  compiler: Compiler
  /** By name: what keeps it from working is an error, not a remark. */
  isChosen: boolean
}

/** What builds use. */
export interface Toolchain {
  compiler: Compiler
  libtorch: Libtorch
  cuda: CudaToolkit | undefined
  /** Where CUDA code runs, if not on a GPU of this machine. */
  virtualGpu: VirtualGpu | undefined
  options: BuildOptionValues
}

export interface Choice {
  compiler: string
  libtorch: string
  gpu: GpuChoice
  options: BuildOptionValues
}

/** A project's own choice before the user's. */
export function chosenTools(settings: Settings, manifest: Manifest | undefined): Choice {
  return {
    compiler: manifest?.toolchain.compiler ?? settings.compiler,
    libtorch: manifest?.toolchain.libtorch ?? settings.libtorch,
    gpu: manifest?.toolchain.gpu ?? settings.gpu,
    options: {
      optimization: manifest?.optimization ?? settings.optimization,
      fastMath: manifest?.fastMath ?? settings.fastMath,
      marchNative: manifest?.marchNative ?? settings.marchNative,
      setuptoolsFlags: manifest?.setuptoolsFlags ?? settings.setuptoolsFlags,
    },
  }
}

/**
 * @param chosen in the settings or in opsmith.json; "" for none
 * @param fromSetup the compiler that set-up found; "" for the best on PATH
 */
export async function chooseCompiler(chosen: string, fromSetup: string): Promise<Result<Compiler>> {
  if (chosen !== '') {
    const compiler = await describeCompiler(chosen)
    if (!compiler) {
      return err(
        'toolchain.missing',
        `The chosen compiler ${chosen} is not a C++ compiler that runs on this machine.`,
        {
          hint: 'Choose another compiler in Doctor, or let Opsmith choose.',
        },
      )
    }
    return compiler.judgement === 'unusable'
      ? err(
          'toolchain.mismatch',
          `The chosen compiler ${chosen} cannot be used: ${compiler.why}.`,
          {
            hint: compiler.remedy,
          },
        )
      : ok(compiler)
  }
  if (fromSetup !== '') {
    const compiler = await describeCompiler(fromSetup)
    if (compiler && compiler.judgement !== 'unusable') return ok(compiler)
  }
  const compilers = await findCompilers()
  const best = compilers.find((compiler) => compiler.judgement !== 'unusable')
  if (best) return ok(best)
  const old = compilers[0]
  return old
    ? err('toolchain.mismatch', `${old.path} cannot be used: ${old.why}.`, { hint: old.remedy })
    : err('toolchain.missing', 'No C++ compiler was found on PATH.', {
        hint: 'apt-get install clang-19 lld-19',
      })
}

async function chooseLibtorch(
  installation: Installation,
  chosen: string,
  fromSetup: string,
): Promise<Result<Libtorch>> {
  if (chosen !== '') {
    const libtorch = describeLibtorch(chosen, 'settings')
    if (!libtorch) {
      return err('toolchain.missing', `The chosen libtorch ${chosen} has no lib/libtorch_cpu.so.`, {
        hint: 'Choose the folder that contains include/ and lib/, or let Opsmith choose.',
      })
    }
    return libtorch.judgement === 'unusable'
      ? err(
          'toolchain.mismatch',
          `The chosen libtorch ${chosen} cannot be used: ${libtorch.why}.`,
          {
            hint: libtorch.remedy,
          },
        )
      : ok(libtorch)
  }
  // Set-up has followed the order of findLibtorchs already, and built the addon against its choice.
  const prepared = fromSetup === '' ? undefined : describeLibtorch(fromSetup, 'set-up')
  if (prepared && prepared.judgement !== 'unusable') return ok(prepared)
  const found = await findLibtorchs({ chosen: '', setup: fromSetup })
  const best = found.find((libtorch) => libtorch.judgement !== 'unusable')
  if (best) return ok(best)
  const old = found[0]
  return old
    ? err(
        'toolchain.mismatch',
        `libtorch ${old.version} in ${old.folder} cannot be used: ${old.why}.`,
        {
          hint: old.remedy,
        },
      )
    : err(
        'toolchain.missing',
        'No libtorch was found: no Python on PATH has torch, and the environment variable LIBTORCH is not the path of a libtorch folder.',
        {
          hint: setupCommand(installation.root),
        },
      )
}

/** The virtual GPU needs clang: g++ has no properties, and no instrumentation that calls us. */
export async function chooseClang(): Promise<Result<Compiler>> {
  const chosen = await chooseCompiler('', '')
  if (chosen.ok && chosen.value.family === 'clang') return chosen
  const clang = (await findCompilers()).find(
    (compiler) => compiler.family === 'clang' && compiler.judgement !== 'unusable',
  )
  return clang
    ? ok(clang)
    : err(
        'toolchain.missing',
        'The virtual GPU needs clang 16 or newer, but Opsmith found no such clang.',
        {
          hint: 'apt-get install clang-19 lld-19',
        },
      )
}

/**
 * The virtual GPU where it is chosen: by name, or because no GPU of this machine can run CUDA code of this libtorch.
 */
async function chooseVirtualGpu(
  choice: GpuChoice,
  { compiler, libtorch, cuda }: Pick<Toolchain, 'compiler' | 'libtorch' | 'cuda'>,
): Promise<Result<VirtualGpu | undefined>> {
  if (choice === 'hardware') return ok(undefined)
  const isAuto = choice === 'auto'
  if (libtorch.hasCuda) {
    return isAuto
      ? ok(undefined)
      : err(
          'toolchain.mismatch',
          `The virtual GPU needs a CPU build of libtorch, but ${libtorch.folder} is a CUDA build.`,
          {
            hint: 'In Doctor, choose a CPU build of libtorch. Or set “CUDA code runs on” to “The GPU of this machine, else the virtual GPU”.',
          },
        )
  }
  // Kernels that nvcc compiled run here, on memory that they allocate themselves.
  if (isAuto && cuda && cuda.present.length > 0) return ok(undefined)
  const isChosen = !isAuto
  if (compiler.family === 'clang') return ok({ compiler, isChosen })
  const clang = await chooseClang()
  if (clang.ok) return ok({ compiler: clang.value, isChosen })
  return isAuto ? ok(undefined) : clang
}

/** The compiler and libtorch for a build, mismatches found here rather than at link time. */
export async function chooseToolchain(
  installation: Installation,
  choice: Choice,
): Promise<Result<Toolchain>> {
  const setup = readSetupEnvironment(installation.root, installation.cacheFolder)
  const compiler = await chooseCompiler(choice.compiler, setup.compiler ?? '')
  if (!compiler.ok) return compiler
  const libtorch = await chooseLibtorch(
    installation,
    choice.libtorch,
    process.env['OPSMITH_LIBTORCH'] ?? setup.libtorch ?? '',
  )
  if (!libtorch.ok) return libtorch
  const found = {
    compiler: compiler.value,
    libtorch: libtorch.value,
    cuda: await findCudaToolkit(launcherOf(installation)),
  }
  const virtualGpu = await chooseVirtualGpu(choice.gpu, found)
  if (!virtualGpu.ok) return virtualGpu
  return ok({ ...found, virtualGpu: virtualGpu.value, options: choice.options })
}
