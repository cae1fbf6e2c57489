import { call, listen } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import { begunWork, gradcheckStore, releaseJacobians } from './store'
import { repeatGradcheck, stopGradchecks } from './run'
import { currentFolder, currentManifest } from '../../store/project'

export function listenToGradchecks(): void {
  listen('gradcheck.progressed', ({ job, done, total, outcome, point }) => {
    gradcheckStore.setState((state) => {
      if (state.all?.job === job) {
        const all = { ...state.all, done, total }
        if (!outcome) return { all }
        const stamped = { outcome, stamp: allStamp }
        return { all, outcomes: { ...state.outcomes, [outcome.entry]: stamped } }
      }
      if (state.sweeping?.job === job) {
        const sweepPoints = point ? [...state.sweepPoints, point] : state.sweepPoints
        return { sweeping: { ...state.sweeping, done, total }, sweepPoints }
      }
      if (state.searching?.job === job) return { searching: { ...state.searching, done, total } }
      return {}
    })
  })
}

let allStamp = ''
let checkingAll: Promise<void> = Promise.resolve()
let allWanted = 0

/** Every check of opsmith.json; one that runs already is ended, since its library is an older one. */
export async function checkAll(): Promise<void> {
  allWanted += 1
  const mine = allWanted
  const { all } = gradcheckStore.getState()
  if (all !== null) {
    await call('job.cancel', { job: all.job })
    await checkingAll
    if (mine !== allWanted) return
  }
  checkingAll = runAll()
  await checkingAll
}

async function runAll(): Promise<void> {
  const folder = currentFolder()
  const entries = currentManifest()?.gradchecks ?? []
  const total = entries.length
  if (folder === null || total === 0) {
    gradcheckStore.setState({ outcomes: {}, allError: null })
    return
  }
  const work = { ...begunWork('gradchecks'), total }
  allStamp = runStamp()
  gradcheckStore.setState((state) => ({
    all: work,
    allError: null,
    outcomes: Object.fromEntries(
      Object.entries(state.outcomes).filter(([index]) => Number(index) < total),
    ),
  }))
  const result = await call('gradcheck.runAll', { folder, job: work.job })
  if (gradcheckStore.getState().all?.job !== work.job) return
  // An answer may overtake the event of its last outcome: the answer has them all.
  const found = result.ok ? result.value.map((outcome) => ({ outcome, stamp: allStamp })) : []
  gradcheckStore.setState((state) => ({
    all: null,
    outcomes: { ...state.outcomes, ...Object.fromEntries(found.entries()) },
    allError: result.ok || result.error.code === 'cancelled' ? null : result.error,
  }))
}

/** After each good build: opsmith.json's checks, then the chosen one with its Jacobians. */
export async function refreshGradchecks(): Promise<void> {
  await checkAll()
  await repeatGradcheck()
}

export function forgetGradchecks(): void {
  void stopGradchecks()
  const { report, generation } = gradcheckStore.getState()
  releaseJacobians(report, generation)
  gradcheckStore.setState(gradcheckStore.getInitialState(), true)
}
