import { call, listen } from '../../bridge/bridge'
import { runCommand } from '../../store/commands'
import { notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { isRestricted } from '../../store/trust'
import { kernelsStore } from './store'

/** Main forgets with each project whether kernels are checked. */
async function sendChoice(folder: string): Promise<boolean> {
  const { isOn } = kernelsStore.getState()
  const taken = await call('kernels.check', { folder, isOn })
  if (!taken.ok) notifyError(taken.error)
  return taken.ok
}

/** The project was opened, or trusted: its first build follows. A window that was reloaded knows no report. */
export async function enterKernels(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  const [, known] = await Promise.all([sendChoice(folder), call('kernels.report', { folder })])
  if (known.ok && folder === currentFolder()) kernelsStore.setState({ report: known.value })
}

/** Turns the checks on or off, and builds: only a build changes what kernels report. */
export async function checkKernels(isOn: boolean): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  kernelsStore.setState({ isOn })
  // In restricted mode, the build asks for trust; then the project is entered.
  if (!isRestricted() && !(await sendChoice(folder))) {
    kernelsStore.setState({ isOn: !isOn })
    return
  }
  runCommand('build.run')
}

export function listenToKernels(): void {
  listen('kernels.reported', ({ folder, report }) => {
    if (folder === currentFolder()) kernelsStore.setState({ report })
  })
}
