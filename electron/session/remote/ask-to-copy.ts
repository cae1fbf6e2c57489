import type { Installation } from '../../engine/installation'
import type { Result } from '../../contract/outcome'
import { copyEngine } from '../../engine/remote/copy-engine'
import type { NamedTarget } from '../../engine/remote/targets'
import type { Desktop } from '../desktop'

interface Here {
  installation: Installation
  desktop: Desktop
}

interface Attempt {
  signal: AbortSignal
  /** Why there is no connection. */
  reason: Result<never>
}

/** Copies this engine to a target, if the user agrees. */
export async function askToCopy(
  { installation, desktop }: Here,
  target: NamedTarget,
  { signal, reason }: Attempt,
): Promise<Result<null>> {
  return await copyEngine(target, {
    installation,
    reason,
    signal,
    onLog: (text) => {
      desktop.send('remote.progressed', { text })
    },
    mayCopy: async ({ machine, version, size, folder, detail }) => {
      const pressed = await desktop.ask({
        type: 'question',
        message: `Opsmith ${version} is not on ${machine}: copy it (${size}) to ${folder}?`,
        detail,
        buttons: ['Copy it', 'Cancel'],
        defaultId: 0,
        cancelId: 1,
      })
      return pressed === 0
    },
  })
}
