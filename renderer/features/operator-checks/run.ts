import type { CheckEntry } from '../../../electron/contract/manifest'
import type { OpcheckOutcome, PlacedFinding } from '../../../electron/contract/opcheck'
import type { Result, WorkbenchError } from '../../../electron/contract/outcome'
import { call, newJob } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import { defaultArguments } from '../../store/default-arguments'
import { noteCrash } from '../../store/host'
import { effectiveInputs, inputsStore, manifestSaved } from '../../store/inputs'
import { notify, notifyError } from '../../store/notifications'
import { allChecked, checkCases, checkOperators, loadEntries } from './store'
import { operatorChecksStore, stopOperatorChecks } from './store'
import {
  emptyOperatorCheckDraft,
  operatorCheckDraftOf,
  operatorCheckEntryOf,
  operatorCheckInputs,
} from './case'
import type { OperatorCheckDraft } from './case'
import { currentFolder, currentManifest } from '../../store/project'

/** How long after the last edit a check begins. */
const debounce = 350
/** A check that runs gets this long to end by itself: stopping one costs its op host. */
const patience = 1_500

let timer: ReturnType<typeof setTimeout> | undefined

/** Fills the fields from what is checked at that place; what is not known of it yet is checked. */
export function chooseCheck(index: number): void {
  const manifest = currentManifest()
  const { entries, outcomes, job } = operatorChecksStore.getState()
  const entry = entries[index]
  if (!manifest || !entry) return
  choose(operatorCheckDraftOf(entry, manifest.inputs), index)
  const known = outcomes[index]
  if (job === null && known?.stamp !== runStamp()) void runOperator()
}

/** Another operator or function, called as in opsmith.json, else as its schema suggests. */
export function chooseOperator(op: string): void {
  const isCalled = currentManifest()?.calls.some((item) => item.op === op) === true
  choose(emptyOperatorCheckDraft(op, isCalled ? defaultArguments(op) : ''), null)
  void runOperator()
}

/** The result of one operator must not stand under the name of another. */
function choose(draft: OperatorCheckDraft, entry: number | null): void {
  clearTimeout(timer)
  operatorChecksStore.setState({ draft, entry, one: null, oneError: null, oneStamp: null })
}

/** Takes an edit of the fields; the checks of the new case start by themselves. */
export function editCheck(change: Partial<OperatorCheckDraft>): void {
  operatorChecksStore.setState((state) => ({ draft: { ...state.draft, ...change }, entry: null }))
  clearTimeout(timer)
  timer = setTimeout(() => void runOperator(), debounce)
}

/** What the fields say, as opsmith.json would. */
export function chosenEntry(): Result<CheckEntry> {
  return operatorCheckEntryOf(operatorChecksStore.getState().draft, effectiveInputs())
}

let running: Promise<void> = Promise.resolve()
let wanted = 0

/** Makes the checks that the fields say; of several wishes while some run, the last counts. */
export async function runOperator(): Promise<void> {
  clearTimeout(timer)
  wanted += 1
  const mine = wanted
  if (operatorChecksStore.getState().oneJob !== null) {
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, patience))])
    if (mine !== wanted) return
    const { oneJob } = operatorChecksStore.getState()
    if (oneJob !== null) await call('job.cancel', { job: oneJob })
    await running
  }
  // The op host does one thing at a time, and the time that a check may take begins when it is asked.
  await allChecked()
  if (mine !== wanted || operatorChecksStore.getState().draft.op === '') return
  running = check()
  await running
}

async function check(): Promise<void> {
  const folder = currentFolder()
  const { draft, entry: place } = operatorChecksStore.getState()
  if (folder === null) return
  const asked = chosenEntry()
  if (!asked.ok) {
    operatorChecksStore.setState({ one: null, oneError: asked.error, oneStamp: null })
    return
  }
  const oneJob = newJob('opcheck')
  const stamp = runStamp()
  operatorChecksStore.setState({ oneJob, oneStartedAt: Date.now() })
  const entry = onChosenDevice(asked.value)
  const { sanitize } = operatorChecksStore.getState()
  const result = await call('opcheck.run', { folder, job: oneJob, entry, sanitize, timeout: 0 })
  const now = operatorChecksStore.getState()
  const isOurs = now.oneJob === oneJob
  if (isOurs) operatorChecksStore.setState({ oneJob: null })
  // An edit meanwhile is checked next: this answers a question that is no longer asked.
  if (!isOurs || now.draft !== draft || currentFolder() !== folder) return
  if (!result.ok) {
    takeError(result.error, stamp)
    return
  }
  const verdict = result.value.ok ? 'passed' : 'failed'
  const expect = entry.expect ?? 'passed'
  const one: OpcheckOutcome = {
    entry: place ?? -1,
    name: draft.rest.name ?? `${entry.op}(${draft.argsText})`,
    op: entry.op,
    expect,
    verdict,
    asExpected: verdict === expect,
    report: result.value,
  }
  operatorChecksStore.setState((state) => ({
    one,
    oneError: null,
    oneStamp: stamp,
    ...(place === null
      ? {}
      : { outcomes: { ...state.outcomes, [place]: { outcome: one, stamp } } }),
  }))
}

/** Where the toolbar says, for this run. */
function onChosenDevice(entry: CheckEntry): CheckEntry {
  const { device } = inputsStore.getState()
  const inputs = operatorCheckInputs(operatorChecksStore.getState().draft, effectiveInputs())
  if (device === '' || inputs.length === 0) return entry
  const moved = inputs.map(([name, spec]) => [name, { ...spec, device }] as const)
  return { ...entry, inputs: Object.fromEntries(moved) }
}

/** Stopped checks say nothing about the operator: what was known before stays. */
function takeError(error: WorkbenchError, stamp: string): void {
  if (error.exit) noteCrash(error.exit)
  if (error.code === 'cancelled') return
  operatorChecksStore.setState({ one: null, oneError: error, oneStamp: stamp })
}

/** Adds the simplest call that shows a failure to opsmith.json, or without one what the fields say. */
export async function keepCheck(finding?: PlacedFinding): Promise<void> {
  const folder = currentFolder()
  const asked = chosenEntry()
  if (folder === null) return
  if (!asked.ok) {
    notifyError(asked.error)
    return
  }
  if (!(await manifestSaved())) return
  const { draft } = operatorChecksStore.getState()
  const result = await call('opcheck.keep', {
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
  notify('info', added ? `Kept: it is ${place}.` : `It is there already: ${place}.`)
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
  if (repeats) await checkOperators()
  else await checkCases()
  const { one, oneError, oneStamp, entry, outcomes } = operatorChecksStore.getState()
  const wouldCrash = oneError?.exit !== undefined && oneStamp === runStamp()
  const isKnown = entry !== null && outcomes[entry]?.stamp === runStamp()
  if ((one !== null || oneError !== null) && !wouldCrash && !isKnown) await runOperator()
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

export function forgetOperatorChecks(): void {
  clearTimeout(timer)
  wanted += 1
  void stopOperatorChecks()
  operatorChecksStore.setState(operatorChecksStore.getInitialState(), true)
}
