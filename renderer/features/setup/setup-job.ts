import { createStore } from 'zustand/vanilla'

import type { SetupPlan, SetupReport, SetupStep } from '../../../electron/contract/setup'
import type { AppInput } from '../../../electron/contract/app-calls'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { runDoctor } from '../../store/doctor'
import { createJob, type Job } from '../../store/job'
import { LineLog, throttled } from '../../store/line-log'
import { requestBuild } from '../../store/loop'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder } from '../../store/project'
import { loadSettings } from '../../store/settings'

export type SetupWish = Omit<AppInput<'setup.run'>, 'job'>

/** What is done so far, and what is under way. */
export type SetupProgress = { steps: readonly SetupStep[]; started: string }

type State = {
  plan: SetupPlan | null
  error: WorkbenchError | null
  /** The folder of the libtorch that is chosen in the panel; "" where torch is to be installed. */
  choice: string | null
  /** What the tools printed, of the run that is or was last. */
  log: LineLog
  logVersion: number
  wasStopped: boolean
}

export const setupStore = createStore<State>(() => ({
  plan: null,
  error: null,
  choice: null,
  log: new LineLog(),
  logVersion: 0,
  wasStopped: false,
}))

const logged = throttled(() => {
  setupStore.setState(({ logVersion }) => ({ logVersion: logVersion + 1 }))
}, 60)

export async function loadPlan(): Promise<void> {
  const result = await call('setup.plan', {})
  if (result.ok) setupStore.setState({ plan: result.value, error: null })
  else setupStore.setState({ error: result.error })
}

/** It is no project's: it goes on while others are opened, and Stop of a project does not end it. */
export const setupJob: Job<SetupWish, SetupReport, SetupProgress> = createJob({
  kind: 'setup',
  latest: 'refused',
  anyProject: true,
  run: (wish, { job }) => {
    setupStore.setState({ log: new LineLog(), wasStopped: false })
    return call('setup.run', { job, ...wish })
  },
  progress: {
    event: 'setup.progressed',
    read: ({ started, step, text }, before) => {
      const { steps, started: now } = before ?? { steps: [], started: '' }
      if (text !== undefined) {
        // Logs grow in place: thousands of chunks must not copy them.
        setupStore.getState().log.append(text)
        logged()
        return undefined
      }
      if (step) return { steps: [...steps, step], started: '' }
      return { steps, started: started ?? now }
    },
  },
})

export async function runSetup(wish: SetupWish): Promise<void> {
  const result = await setupJob.run(wish)
  if (result === null) return
  if (!result.ok) {
    setupStore.setState({ wasStopped: result.error.code === 'cancelled' })
    await loadPlan()
    return
  }
  notify(
    'info',
    `This machine can build and run operators, with libtorch ${result.value.libtorchVersion}.`,
  )
  await loadSettings()
  await Promise.all([runDoctor(), loadPlan()])
  if (currentFolder() !== null) await requestBuild('projectOpened')
}

export async function chooseFolder(): Promise<void> {
  const chosen = await call('setup.chooseFolder', {})
  if (!chosen.ok) notifyError(chosen.error)
  else if (chosen.value !== null) setupStore.setState({ choice: chosen.value.folder })
}
