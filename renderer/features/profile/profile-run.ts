import { call, newJob } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import { parseArguments } from '../gradcheck/gradcheck-case'
import { defaultArguments } from '../graph/graph-entry'
import { noteCrash } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { layoutStore } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { profileKey, profileStore, type ProfileDraft, type ProfileView } from './profile'
import { currentFolder, currentManifest } from '../../store/project'
import { runStore } from '../run/run'

/** Chooses something to begin with where nothing is chosen: a called function before an operator. */
export function chooseFirstProfiled(): void {
  if (profileStore.getState().draft.op !== '') return
  const calls = currentManifest()?.calls ?? []
  const called = calls.find((item) => !item.op.includes('::')) ?? calls[0]
  const op = called?.op ?? runStore.getState().functions[0]?.name
  if (op !== undefined) chooseProfiled(op)
}

/** Another operator or function, called as in opsmith.json, else as its schema suggests. */
export function chooseProfiled(op: string): void {
  void stopProfile()
  const { draft } = profileStore.getState()
  profileStore.setState({
    draft: { ...draft, op, argsText: defaultArguments(op) },
    // What is known of one must not stand under the name of another.
    report: null,
    error: null,
    stamp: null,
    tried: null,
    selection: null,
  })
}

/** Takes an edit of the fields. Nothing is profiled until it is asked for. */
export function editProfile(change: Partial<ProfileDraft>): void {
  profileStore.setState(({ draft }) => ({ draft: { ...draft, ...change } }))
}

export function showProfileView(view: ProfileView): void {
  profileStore.setState({ view })
}

let running: Promise<void> = Promise.resolve()
let wanted = 0

/** Profiles what the fields say. Of several wishes the last counts; what runs is ended for it. */
export async function runProfile(): Promise<void> {
  wanted += 1
  const mine = wanted
  await endJob()
  await running
  if (mine !== wanted) return
  running = profileOnce()
  await running
}

async function profileOnce(): Promise<void> {
  const folder = currentFolder()
  const { draft } = profileStore.getState()
  if (folder === null || draft.op === '') return
  const inputs = effectiveInputs()
  const args = parseArguments(draft.argsText, inputs)
  if (!args.ok) {
    profileStore.setState({ error: args.error })
    return
  }
  const job = newJob('profile')
  const stamp = runStamp()
  const asked = profileKey(draft)
  profileStore.setState({ job, startedAt: Date.now(), error: null, tried: stamp })
  const { op, backward, threads } = draft
  const request = { op, args: args.value, inputs, backward, threads }
  const result = await call('profile.run', { folder, job, request, timeout: 0 })
  const now = profileStore.getState()
  if (now.job !== job) return
  profileStore.setState({ job: null })
  // Another call was chosen meanwhile: this is not about it.
  if (now.draft.op !== op || currentFolder() !== folder) return
  if (result.ok) {
    profileStore.setState({ report: result.value, asked, stamp, error: null, selection: null })
    return
  }
  if (result.error.exit) noteCrash(result.error.exit)
  profileStore.setState({ error: result.error.code === 'cancelled' ? null : result.error })
}

async function endJob(): Promise<void> {
  const { job } = profileStore.getState()
  if (job !== null) await call('job.cancel', { job })
}

export async function stopProfile(): Promise<void> {
  wanted += 1
  await endJob()
}

/** Writes the profile as a Chrome trace, where the user says. */
export async function saveTrace(): Promise<void> {
  const folder = currentFolder()
  const { report } = profileStore.getState()
  if (folder === null || report === null) return
  const result = await call('profile.save', { folder, profile: report.profile, path: '' })
  if (!result.ok) notifyError(result.error)
  else if (result.value !== null) {
    notify('info', `Written: ${result.value.path}. ui.perfetto.dev and chrome://tracing open it.`)
  }
}

/** After each good build: what is looked at is profiled again. */
export async function refreshProfile(): Promise<void> {
  const { tried } = profileStore.getState()
  if (layoutStore.getState().dock?.isShown('profile') !== true) return
  // Once for each state of the sources: what ended the op host would only end it again.
  if (tried === null || tried === runStamp()) return
  await runProfile()
}

export function forgetProfile(): void {
  void stopProfile()
  profileStore.setState(profileStore.getInitialState(), true)
}
