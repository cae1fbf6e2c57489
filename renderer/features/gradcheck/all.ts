import { currentFolder, currentManifest } from '../../store/project'
import { findGradients, forgetGradients } from './gradient-functions'
import { allGradchecksJob } from './jobs'
import { refreshHistory, repeatGradcheck } from './run'
import { gradcheckRuns } from './runs'
import { gradcheckStore } from './store'

/** Every check of opsmith.json, when the user asks for it: in this window, or in a run elsewhere. */
export async function checkAll(): Promise<void> {
  if (gradcheckRuns.store.getState().where === '') {
    await checkHere()
    return
  }
  const error = await gradcheckRuns.start({ verb: 'gradcheck', search: null })
  allGradchecksJob.set({ error })
}

/** The same in this window, whatever place is chosen. */
export async function checkHere(): Promise<void> {
  await checkEvery(false)
}

/**
 * A check that runs already is ended, since its library is an older one.
 * @param isBackground nobody has asked for it
 */
async function checkEvery(isBackground: boolean): Promise<void> {
  if (!(await allGradchecksJob.turn())) return
  const total = currentManifest()?.gradchecks.length ?? 0
  allGradchecksJob.set({ error: null })
  gradcheckStore.setState(({ outcomes }) => ({
    outcomes: Object.fromEntries(
      Object.entries(outcomes).filter(([index]) => Number(index) < total),
    ),
  }))
  if (currentFolder() === null || total === 0) return
  await allGradchecksJob.run({ total, isBackground })
  await findGradients()
}

/** After each good build: opsmith.json's checks, then the chosen one with its Jacobians. */
export async function refreshGradchecks(): Promise<void> {
  await checkEvery(true)
  await repeatGradcheck()
  await refreshHistory()
}

/** Another project opens, or none. */
export function forgetGradchecks(): void {
  gradcheckStore.setState(gradcheckStore.getInitialState(), true)
  gradcheckRuns.forget()
  forgetGradients()
}
