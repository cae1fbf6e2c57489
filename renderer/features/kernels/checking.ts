import type { KernelVariant } from '../../../electron/contract/build'
import { call, listen } from '../../bridge/bridge'
import { runCommand } from '../../store/commands'
import { notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { isRestricted } from '../../store/trust'
import { kernelsStore } from './store'

/** Main forgets with each project what its kernels are compiled for. */
async function sendChoice(folder: string): Promise<boolean> {
  const { variant } = kernelsStore.getState()
  const taken = await call('kernels.use', { folder, variant })
  if (!taken.ok) notifyError(taken.error)
  return taken.ok
}

/** The project was opened, or trusted: its first build follows. A window that was reloaded knows no report. */
export async function enterKernels(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const [, known] = await Promise.all([sendChoice(folder), call('kernels.reports', { folder })])
  if (!known.ok || folder !== currentFolder()) return
  kernelsStore.setState(known.value)
}

/** Checks or counts kernels, or neither, and builds: only a build changes what kernels report. */
export async function compileKernelsFor(variant: KernelVariant): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const before = kernelsStore.getState().variant
  kernelsStore.setState({ variant })
  // In restricted mode, the build asks for trust; then the project is entered.
  if (!isRestricted() && !(await sendChoice(folder))) {
    kernelsStore.setState({ variant: before })
    return
  }
  runCommand('build.run')
}

export function listenToKernels(): void {
  listen('kernels.reported', ({ folder, report }) => {
    if (folder === currentFolder()) kernelsStore.setState({ report })
  })
  listen('kernels.counted', ({ folder, counts }) => {
    if (folder === currentFolder()) kernelsStore.setState({ counts })
  })
}
