import type { DoctorReport, Finding } from '../../contract/doctor'
import type { Toolchain } from '../toolchain/choose'
import { findCudaToolkit } from '../toolchain/cuda'
import type { CudaToolkit } from '../toolchain/cuda'
import { cudaMismatches } from '../toolchain/cuda-versions'
import type { VersionMismatch } from '../toolchain/cuda-versions'
import { searchGpus } from '../toolchain/gpus'
import type { GpuSearch } from '../toolchain/gpus'
import { chooseHost } from '../toolchain/nvcc-host'
import { blank } from './blank-finding'

interface CudaFindings {
  findings: Finding[]
  problems: DoctorReport['problems']
}

const noToolkit: Finding = {
  ...blank,
  kind: 'cuda',
  name: 'nvcc',
  path: '',
  judgement: 'absent',
  why: 'without nvcc, CUDA sources (.cu) can be compiled only for the virtual GPU; C++ operators do not need nvcc',
  remedy: 'Install the CUDA toolkit: https://developer.nvidia.com/cuda-downloads',
}

/** Some end with a full stop, as errors do: "the driver is missing. The driver supports …." */
const joined = (reasons: readonly string[]): string =>
  reasons
    .map((reason, index) => (index < reasons.length - 1 ? reason.replace(/\.$/, '') : reason))
    .join('. ')

/** nvcc and its host compiler. */
function toolkitFinding(
  cuda: CudaToolkit,
  chosen: Toolchain | undefined,
  limits: readonly VersionMismatch[],
): Finding {
  const host = chosen ? chooseHost(cuda, chosen.compiler) : undefined
  const newest = cuda.hostLimits?.newestGcc
  const words = limits.filter((one) => one.of === 'nvcc')
  const why = [
    ...(host && host.refused !== '' ? [host.refused] : []),
    ...words.map(({ message }) => message),
  ]
  const facts: Finding['facts'] = [['toolkit', cuda.folder === '' ? 'not found' : cuda.folder]]
  if (host) facts.push(['host compiler', host.path === '' ? 'gcc' : host.path])
  if (host && host.remark !== '') facts.push(['reason', host.remark])
  return {
    ...blank,
    kind: 'cuda',
    name: `nvcc ${cuda.version}`,
    path: cuda.nvcc,
    version: cuda.version,
    judgement: why.length > 0 ? 'warning' : 'usable',
    why: joined(why),
    remedy:
      host && host.refused !== ''
        ? `apt-get install g++-${newest ?? ''}`
        : words.map(({ remedy }) => remedy).join(' '),
    facts,
  }
}

function gpuFindings(
  { gpus, driverCuda, why }: GpuSearch,
  limits: readonly VersionMismatch[],
): Finding[] {
  const words = limits.filter((one) => one.of === 'driver')
  const cards = gpus.map((gpu): Finding => {
    const missing =
      gpu.driver === '' ? 'this machine has an NVIDIA GPU, but the driver is not installed' : ''
    const reasons = [
      ...(missing === '' ? [] : [why === '' ? missing : `${missing} (${why})`]),
      ...words.map(({ message }) => message),
      ...(gpu.isDivided
        ? [
            'MIG divides this GPU: a process uses one instance, so timings do not describe the whole GPU',
          ]
        : []),
    ]
    const facts: Finding['facts'] = [['device', gpu.detail]]
    if (driverCuda !== '') facts.push(['driver supports CUDA up to', driverCuda])
    return {
      ...blank,
      kind: 'gpu',
      name: gpu.name,
      path: '',
      version: gpu.driver,
      judgement: reasons.length > 0 ? 'warning' : 'usable',
      why: joined(reasons),
      remedy: [
        ...(missing === ''
          ? []
          : [
              'Install the NVIDIA driver. In a container, give the container access to the GPU (docker run --gpus all).',
            ]),
        ...words.map(({ remedy }) => remedy),
      ].join(' '),
      facts,
    }
  })
  if (cards.length > 0) return cards
  return [
    {
      ...blank,
      kind: 'gpu',
      name: 'GPU',
      path: '',
      judgement: 'absent',
      why: `no NVIDIA GPU on this machine${why === '' ? '' : ` (${why})`}; operators run on the CPU or on the virtual GPU`,
    },
  ]
}

/**
 * The CUDA toolkit and the GPUs, and what does not fit between driver, toolkit, host compiler and libtorch.
 * @param launcher opsmith_launcher, which asks the driver; "" before set-up
 */
export async function cudaFindings(
  chosen: Toolchain | undefined,
  launcher: string,
): Promise<CudaFindings> {
  const [cuda, search] = await Promise.all([findCudaToolkit(launcher), searchGpus(launcher)])
  const libtorch = chosen?.libtorch
  const mismatches = cudaMismatches({
    nvcc: cuda?.version ?? '',
    libtorch: libtorch?.hasCuda ? libtorch.cuda : '',
    driver: search.driverCuda,
  })
  const limits = mismatches.filter(({ kind }) => kind === 'limits')
  return {
    findings: [
      cuda ? toolkitFinding(cuda, chosen, limits) : noToolkit,
      ...gpuFindings(search, limits),
    ],
    problems: mismatches
      .filter(({ kind }) => kind === 'blocks')
      .map(({ message, remedy }) => ({ message, remedy })),
  }
}
