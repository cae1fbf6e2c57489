import { call } from '../../bridge/bridge'
import { earlierTime, runStamp } from '../../store/files'
import { parseArgumentList } from '../../store/argument-list'
import { defaultArguments } from '../../store/default-arguments'
import { effectiveInputs } from '../../store/inputs'
import { layoutStore } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { profileStore, type ProfileDraft, type ProfileView } from './profile'
import { profileJob } from './profile-job'
import { currentFolder, currentManifest } from '../../store/project'
import { programFunctions } from '../../store/program-functions'

/** Chooses something to begin with where nothing is chosen: a called function before an operator. */
export function chooseFirstProfiled(): void {
  if (profileStore.getState().draft.op !== '') return
  const calls = currentManifest()?.calls ?? []
  const called = calls.find((item) => !item.op.includes('::')) ?? calls[0]
  const op = called?.op ?? programFunctions()[0]?.name
  if (op !== undefined) chooseProfiled(op)
}

/** Another operator or function, called as in opsmith.json, else as its schema suggests. */
export function chooseProfiled(op: string): void {
  // The profile of one must not be shown under the name of another.
  profileJob.reset()
  profileStore.setState(({ draft }) => ({
    draft: { ...draft, op, argsText: defaultArguments(op) },
    selection: null,
  }))
}

/** Takes an edit of the fields. Nothing is profiled until it is asked for. */
export function editProfile(change: Partial<ProfileDraft>): void {
  profileStore.setState(({ draft }) => ({ draft: { ...draft, ...change } }))
}

export function showProfileView(view: ProfileView): void {
  profileStore.setState({ view })
}

/** Profiles what the fields hold. */
export async function runProfile(): Promise<void> {
  const { draft } = profileStore.getState()
  if (draft.op === '') return
  const inputs = effectiveInputs()
  const args = parseArgumentList(draft.argsText, inputs)
  if (!args.ok) {
    profileJob.set({ error: args.error })
    return
  }
  const result = await profileJob.run({ draft, args: args.value, inputs })
  if (result?.ok) profileStore.setState({ selection: null })
}

/** Writes the profile as a Chrome trace, where the user says. */
export async function saveTrace(): Promise<void> {
  const folder = currentFolder()
  const { value } = profileJob.store.getState()
  if (folder === null || value === null) return
  const { profile } = value.report
  const result = await call('profile.save', { folder, profile, path: '' })
  if (!result.ok) notifyError(result.error)
  else if (result.value !== null) {
    notify(
      'info',
      `Saved ${result.value.path}. Open the file in ui.perfetto.dev or chrome://tracing.`,
    )
  }
}

/** After each good build: what is looked at is profiled again. */
export async function refreshProfile(): Promise<void> {
  const { stamp } = profileJob.store.getState()
  if (layoutStore.getState().dock?.isShown('profile') !== true) return
  // Once for each state of the sources: what ended the op host would only end it again.
  if (stamp === null || stamp === runStamp()) return
  // What an earlier session showed is made again when the user asks for it.
  if (earlierTime(stamp) !== null) return
  await runProfile()
}

export function forgetProfile(): void {
  profileStore.setState(profileStore.getInitialState(), true)
}
