import type { CheckEntry } from '../../../electron/contract/manifest'
import type { PlacedFinding } from '../../../electron/contract/operator-check'
import { ok, type Result } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { defaultArguments } from '../../store/default-arguments'
import { earlierTime, runStamp } from '../../store/files'
import { effectiveInputs, inputsStore, manifestSaved } from '../../store/inputs'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { checkCases, checkOperators } from './all'
import {
  emptyOperatorCheckDraft,
  operatorCheckDraftOf,
  operatorCheckEntryOf,
  operatorCheckInputs,
  type OperatorCheckDraft,
} from './case'
import { allOperatorChecksJob, operatorCheckJob } from './jobs'
import { operatorCheckRuns } from './runs'
import { loadEntries, operatorChecksStore } from './store'

/** How long after the last edit a check begins, in milliseconds. */
const debounce = 350

/** Fills the fields from what is checked at that place; what is not known of it yet is checked. */
export function chooseCheck(index: number): void {
  operatorCheckRuns.hide()
  const manifest = currentManifest()
  const { entries, outcomes } = operatorChecksStore.getState()
  const entry = entries[index]
  if (!manifest || !entry) return
  choose(operatorCheckDraftOf(entry, manifest.inputs), index)
  const known = outcomes[index]
  if (!allOperatorChecksJob.isRunning() && known?.stamp !== runStamp()) void runOperator()
}

/** Makes the checks of one entry. */
export async function runEntry(index: number): Promise<void> {
  const manifest = currentManifest()
  const entry = operatorChecksStore.getState().entries[index]
  if (!manifest || !entry) return
  operatorCheckRuns.hide()
  choose(operatorCheckDraftOf(entry, manifest.inputs), index)
  await runOperator()
}

/** Another operator or function, called as in opsmith.json, else as its schema suggests. */
export function chooseCheckedOperator(op: string): void {
  const isCalled = currentManifest()?.calls.some((item) => item.op === op) === true
  operatorCheckRuns.hide()
  choose(emptyOperatorCheckDraft(op, isCalled ? defaultArguments(op) : ''), null)
  void runOperator()
}

/** The result of one operator must not stand under the name of another. */
function choose(draft: OperatorCheckDraft, entry: number | null): void {
  operatorChecksStore.setState({ draft, entry })
  operatorCheckJob.clear()
}

/** Takes an edit of the fields; the checks of the new case start by themselves. */
export function editCheck(change: Partial<OperatorCheckDraft>): void {
  operatorChecksStore.setState((state) => ({ draft: { ...state.draft, ...change }, entry: null }))
  operatorCheckJob.later(debounce, () => void runOperator())
}

/** What the fields say, as opsmith.json would. */
export function chosenEntry(): Result<CheckEntry> {
  return operatorCheckEntryOf(operatorChecksStore.getState().draft, effectiveInputs())
}

/**
 * Makes the checks that the fields say; of several wishes while some run, the last counts.
 * @param isBackground nobody has asked for it
 */
export async function runOperator(isBackground = false): Promise<void> {
  // The op host does one thing at a time, and the time that a check may take begins when it is asked.
  if (!(await operatorCheckJob.turn(allOperatorChecksJob.ended))) return
  const { draft, entry: place } = operatorChecksStore.getState()
  if (currentFolder() === null || draft.op === '') return
  const asked = chosenEntry()
  if (!asked.ok) {
    // It is wrong whatever the sources say: it gets no stamp.
    operatorCheckJob.set({ value: null, error: asked.error, stamp: null })
    return
  }
  await operatorCheckJob.run({
    draft,
    entry: onChosenDevice(asked.value),
    place,
    isBackground,
  })
}

/** Where the toolbar says, for this run. */
function onChosenDevice(entry: CheckEntry): CheckEntry {
  const { device } = inputsStore.getState()
  const inputs = operatorCheckInputs(operatorChecksStore.getState().draft, effectiveInputs())
  if (device === '' || inputs.length === 0) return entry
  const moved = inputs.map(([name, spec]) => [name, { ...spec, device }] as const)
  return { ...entry, inputs: Object.fromEntries(moved) }
}

/**
 * Adds the simplest call that shows a failure to opsmith.json, or without one what the fields say.
 * @param checked what has failed, if the fields do not say it
 */
export async function keepCheck(finding?: PlacedFinding, checked?: CheckEntry): Promise<void> {
  const folder = currentFolder()
  const asked = checked ? ok(checked) : chosenEntry()
  if (folder === null) return
  if (!asked.ok) {
    notifyError(asked.error)
    return
  }
  if (!(await manifestSaved())) return
  const { draft } = operatorChecksStore.getState()
  const result = await call('operatorCheck.keep', {
    folder,
    entry: asked.value,
    ...(finding?.shownCase
      ? { failure: { check: finding.check, shownCase: finding.shownCase } }
      : {}),
  })
  if (!result.ok) {
    notifyError(result.error)
    return
  }
  const { entry, added } = result.value
  const place = `check ${entry + 1} of opsmith.json`
  notify('info', added ? `Saved as ${place}.` : `This check already exists: ${place}.`)
  await loadEntries()
  if (finding === undefined && operatorChecksStore.getState().draft === draft)
    operatorChecksStore.setState({ entry })
  if (finding !== undefined && added) await checkCases()
}

/** After each good build: what was kept, or all once the user asked for it; then what is looked at. */
export async function refreshOperatorChecks(): Promise<void> {
  await loadEntries()
  followEntry()
  const { repeats } = operatorChecksStore.getState()
  if (repeats) await checkOperators(true)
  else await checkCases(true)
  const { entry, outcomes } = operatorChecksStore.getState()
  const { value, error, stamp } = operatorCheckJob.store.getState()
  const wouldCrash = error?.exit !== undefined && stamp === runStamp()
  const isKnown = entry !== null && outcomes[entry]?.stamp === runStamp()
  // What an earlier session showed is made again when the user asks for it.
  if (earlierTime(stamp) !== null) return
  if ((value !== null || error !== null) && !wouldCrash && !isKnown) await runOperator(true)
}

/** After an edit of opsmith.json. */
export async function entriesChanged(): Promise<void> {
  await loadEntries()
  if (followEntry()) await runOperator()
}

/** The chosen entry may say something else now, or be gone; true when its fields changed. */
function followEntry(): boolean {
  const { entry, draft, entries } = operatorChecksStore.getState()
  const manifest = currentManifest()
  if (entry === null || !manifest) return false
  const now = entries[entry]
  if (!now) {
    operatorChecksStore.setState({ entry: null })
    return false
  }
  const next = operatorCheckDraftOf(now, manifest.inputs)
  if (JSON.stringify(next) === JSON.stringify(draft)) return false
  choose(next, entry)
  return true
}

/** Another project opens, or none. */
export function forgetOperatorChecks(): void {
  operatorCheckRuns.forget()
  operatorChecksStore.setState(operatorChecksStore.getInitialState(), true)
}
