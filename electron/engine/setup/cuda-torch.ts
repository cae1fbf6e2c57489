import { searchGpus } from '../toolchain/gpus'
import { compareVersions } from '../toolchain/cuda-versions'
import { torchVersion } from './install-torch'

/** torch for the GPUs of this machine. */
export interface CudaTorch {
  /** "NVIDIA H100, NVIDIA L4" */
  gpus: string
  /** That it is built with, which their driver takes: "13.0". */
  cuda: string
}

/** Of the wheels of torch, the newest first. A driver takes what is built for an older minor version, too. */
const builds = ['13.0', '12.6']

/** undefined where nvidia-smi lists no GPU, or the driver is too old for each build. */
export async function findCudaTorch(): Promise<CudaTorch | undefined> {
  const { gpus, driverCuda } = await searchGpus()
  const usable = gpus.filter(({ architecture }) => architecture !== '')
  const major = driverCuda.split('.')[0] ?? ''
  const cuda =
    // A nvidia-smi that does not say it is of a new driver as likely as of an old one.
    driverCuda === ''
      ? builds[0]
      : builds.find((one) => one.startsWith(`${major}.`) || compareVersions(one, driverCuda) <= 0)
  if (usable.length === 0 || cuda === undefined) return undefined
  return { gpus: usable.map(({ name }) => name).join(', '), cuda }
}

const cudaQuestion = ({ gpus, cuda }: CudaTorch): string =>
  `This machine has ${gpus}. Install torch ${torchVersion} for CUDA ${cuda} (3 GB to download, 7 GB on disk)?`

/** @param command of set-up that installs it */
const cudaHint = ({ gpus, cuda }: CudaTorch, command: string): string =>
  `This machine has ${gpus}: \`${command}\` installs torch ${torchVersion} for CUDA ${cuda}.`

/**
 * The CUDA of the torch to install; "" for the CPU. It is asked for first: it takes 15 times the space.
 * @param wanted it need not be asked for
 * @param ask undefined where there is nobody to ask: the command is given then
 */
export async function chooseTorch(
  wanted: boolean,
  ask: ((question: string) => Promise<boolean | undefined>) | undefined,
  { command, onRemark }: { command: string; onRemark: (text: string) => void },
): Promise<string> {
  const found = await findCudaTorch()
  if (!found) {
    if (wanted)
      onRemark(
        'nvidia-smi lists no GPU, or the GPU driver is too old for torch, so Opsmith does not install torch for CUDA',
      )
    return ''
  }
  const answer = wanted ? true : await ask?.(cudaQuestion(found))
  if (answer === undefined) onRemark(cudaHint(found, command))
  return answer === true ? found.cuda : ''
}
