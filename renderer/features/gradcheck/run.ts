import type { GradcheckOutcome, SearchReport } from '../../../electron/contract/gradcheck'
import type { InputSpec } from '../../../electron/contract/manifest'
import type { RunSearch } from '../../../electron/contract/run-calls'
import { call } from '../../bridge/bridge'
import { inputsNamed } from '../../store/argument-list'
import { defaultArguments } from '../../store/default-arguments'
import { runStamp } from '../../store/files'
import { hostStore } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { currentFolder, currentManifest } from '../../store/project'
import {
  caseOf,
  draftOf,
  emptyDraft,
  namesOf,
  type GradcheckCase,
  type GradcheckDraft,
} from './case'
import { findGradients } from './gradient-functions'
import { gradcheckJob, questionOf, searchJob, sweepJob, type AskedCase } from './jobs'
import { gradcheckRuns } from './runs'
import { gradcheckStore } from './store'

/** How long after the last edit a check begins, in milliseconds. */
const debounce = 350

/** Fills the fields from an entry of opsmith.json and checks it, with Jacobians to look at. */
export function chooseEntry(index: number): void {
  gradcheckRuns.hide()
  takeEntry(index)
}

function takeEntry(index: number): void {
  const manifest = currentManifest()
  const entry = manifest?.gradchecks[index]
  if (!manifest || !entry) return
  const known = gradcheckStore.getState().outcomes[index]
  choose(draftOf(entry, manifest.inputs), index)
  const error = known?.outcome.error
  if (known && error?.exit) {
    // What ended the op host would end it again: that is for the user to ask for.
    gradcheckJob.set({ error, stamp: known.stamp })
    return
  }
  void runGradcheck()
}

/** Checks an entry of opsmith.json alone, also where that ended the op host before. */
export async function runEntry(index: number): Promise<void> {
  const manifest = currentManifest()
  const entry = manifest?.gradchecks[index]
  if (!manifest || !entry) return
  gradcheckRuns.hide()
  choose(draftOf(entry, manifest.inputs), index)
  await runGradcheck()
}

/** Checks another operator or function; arguments are guessed from the calls and the inputs' names. */
export function chooseOther(op: string, argsText = defaultArguments(op)): void {
  gradcheckRuns.hide()
  choose({ ...emptyDraft(op, argsText), inputs: differentiable(argsText) }, null)
  void runGradcheck()
}

/** Where no input of a call requires grad, the floating ones do for this case: else it says nothing. */
function differentiable(argsText: string): Record<string, InputSpec> {
  const inputs = effectiveInputs()
  const named = inputsNamed(argsText, inputs).flatMap((name) => {
    const spec = inputs[name]
    return spec ? [[name, spec] as const] : []
  })
  if (named.some(([, spec]) => spec.requires_grad)) return {}
  const floating = named.filter(([, spec]) => /float|complex/.test(spec.dtype))
  return Object.fromEntries(
    floating.map(([name, spec]) => [name, { ...spec, requires_grad: true }]),
  )
}

/** The result of one case must not stand under the name of another. */
function choose(draft: GradcheckDraft, entry: number | null): void {
  gradcheckStore.setState({ draft, entry, history: [] })
  gradcheckJob.clear()
  sweepJob.set({ error: null })
  searchJob.set({ error: null })
}

/** Takes an edit of the fields; a check of the new case starts by itself. */
export function editDraft(change: Partial<GradcheckDraft>): void {
  gradcheckStore.setState((state) => ({ draft: { ...state.draft, ...change }, entry: null }))
  gradcheckJob.later(debounce, () => void runGradcheck())
}

export function editOptions(change: Partial<GradcheckDraft['options']>): void {
  const { options } = gradcheckStore.getState().draft
  editDraft({ options: { ...options, ...change } })
}

/** What the fields say, as main is asked it. */
export function chosenCase(): ReturnType<typeof caseOf> {
  return caseOf(gradcheckStore.getState().draft, effectiveInputs())
}

/** Equal for cases whose errors over eps are the same. */
export function caseKey(draft: GradcheckDraft): string {
  const { eps: _e, atol: _a, rtol: _r, fast_mode: _f, ...options } = draft.options
  const inputs = { ...effectiveInputs(), ...draft.inputs }
  return JSON.stringify([draft.op, draft.argsText, draft.secondOrder, inputs, options])
}

/** Equal for cases that a search finds the same worst point of. */
export function searchKey(draft: GradcheckDraft): string {
  const inputs = Object.entries({ ...effectiveInputs(), ...draft.inputs })
  const unseeded = inputs.map(([name, { seed: _drawn, ...spec }]) => [name, spec])
  return JSON.stringify([
    draft.op,
    draft.argsText,
    draft.secondOrder,
    draft.dtype,
    unseeded,
    draft.options,
  ])
}

/** Checks the chosen case; of several wishes while one runs, the last counts. */
export async function runGradcheck(): Promise<void> {
  if (!(await gradcheckJob.turn())) return
  const folder = currentFolder()
  const { draft } = gradcheckStore.getState()
  if (folder === null || draft.op === '') return
  const asked = chosenCase()
  if (!asked.ok) {
    // It is wrong whatever the sources say: it gets no stamp.
    gradcheckJob.set({ value: null, error: asked.error, stamp: null })
    return
  }
  const result = await gradcheckJob.run({ draft, request: asked.value })
  noteEntry(draft)
  void findGradients()
  if (result?.ok) void loadHistory(folder, asked.value)
}

/** The list shows what is known of an entry, whoever asked for it. */
function noteEntry(checked: GradcheckDraft): void {
  const { entry: index, draft } = gradcheckStore.getState()
  const { value, error, running, stamp } = gradcheckJob.store.getState()
  const manifest = currentManifest()
  const entry = index === null ? undefined : manifest?.gradchecks[index]
  if (!manifest || !entry || index === null || draft !== checked || running !== null) return
  const report = value?.report
  if (stamp === null || (report === undefined && error === null)) return
  const { title, particular } = namesOf(entry, manifest.inputs)
  const expect = entry.expect ?? 'passed'
  const verdict = report === undefined ? 'error' : report.ok ? 'passed' : 'failed'
  const outcome: GradcheckOutcome = {
    entry: index,
    name: particular === '' ? title : `${title}, ${particular}`,
    op: entry.op,
    expect,
    verdict,
    asExpected: verdict === expect,
    ...(report === undefined ? {} : { report }),
    ...(error === null ? {} : { error }),
  }
  gradcheckStore.setState(({ outcomes }) => ({
    outcomes: { ...outcomes, [index]: { outcome, stamp } },
  }))
}

/** Reads the history of the chosen case again. A check of all entries adds to it. */
export async function refreshHistory(): Promise<void> {
  const folder = currentFolder()
  const asked = chosenCase()
  const isChosen = gradcheckStore.getState().draft.op !== ''
  if (folder !== null && isChosen && asked.ok) await loadHistory(folder, asked.value)
}

async function loadHistory(folder: string, request: GradcheckCase): Promise<void> {
  const { draft } = gradcheckStore.getState()
  const result = await call('gradcheck.history', { folder, request })
  if (result.ok && gradcheckStore.getState().draft === draft) {
    gradcheckStore.setState({ history: result.value })
  }
}

/** After a build or an edit of opsmith.json: the chosen case again, unless it ended the op host with these very sources. */
export async function repeatGradcheck(): Promise<void> {
  if (followEntry()) return
  const { value, error, stamp } = gradcheckJob.store.getState()
  if (gradcheckStore.getState().draft.op === '' || (value === null && error === null)) return
  if (error?.exit !== undefined && stamp === runStamp()) return
  const asked = chosenCase()
  const question = asked.ok ? questionOf(asked.value, runStamp()) : ''
  // The first choice of a window may have been checked before all of opsmith.json's were; one of
  // those may have ended the op host that held its Jacobians.
  const isHeld = value?.generation === hostStore.getState().host?.generation
  if (value !== null && question === value.question && isHeld) return
  await runGradcheck()
}

/** The chosen entry may say something else now, or be gone; true when it was taken up again. */
function followEntry(): boolean {
  const { entry, draft } = gradcheckStore.getState()
  const manifest = currentManifest()
  if (entry === null || !manifest) return false
  const now = manifest.gradchecks[entry]
  if (!now) {
    gradcheckStore.setState({ entry: null })
    return false
  }
  if (JSON.stringify(draftOf(now, manifest.inputs)) === JSON.stringify(draft)) return false
  takeEntry(entry)
  return true
}

/** The error over eps of the chosen case, in each precision. */
export async function sweepEps(): Promise<void> {
  const asked = askedOf(sweepJob)
  if (asked) await sweepJob.run({ ...asked, key: caseKey(asked.draft) })
}

/** gradcheck at `points` random points, here or by the workers of a run: where is it worst? */
export async function searchWorst(points: number, firstSeed: number): Promise<void> {
  const asked = askedOf(searchJob)
  if (!asked) return
  const { draft, request } = asked
  if (gradcheckRuns.store.getState().where === '') {
    await searchJob.run({ ...asked, key: searchKey(draft), points, firstSeed })
    return
  }
  const { timeout } = draft
  const error = await gradcheckRuns.start({
    verb: 'gradcheck',
    search: { request, points, firstSeed, timeout },
  })
  searchJob.set({ error })
}

/** The fields with the inputs of the worst point. */
function atPoint(draft: GradcheckDraft, found: SearchReport): GradcheckDraft {
  const names = inputsNamed(draft.argsText, found.inputs)
  const inputs = names.flatMap((name) => {
    const spec = found.inputs[name]
    return spec ? [[name, spec] as const] : []
  })
  return { ...draft, inputs: { ...draft.inputs, ...Object.fromEntries(inputs) } }
}

/** Takes the worst point into the fields that the search was asked with. */
export function takeHere(found: SearchReport): void {
  editDraft({ inputs: atPoint(gradcheckStore.getState().draft, found).inputs })
}

/** Shows the gradcheck that a run has searched, at its worst point. */
export function takeFound({ searched, report }: RunSearch): void {
  gradcheckRuns.hide()
  choose(atPoint(draftOf(searched, currentManifest()?.inputs ?? {}), report), null)
  void runGradcheck()
}

/** The chosen case for work that is not running yet; null where there is none, or it does not read. */
function askedOf(job: typeof sweepJob | typeof searchJob): AskedCase | null {
  const { draft } = gradcheckStore.getState()
  if (currentFolder() === null || draft.op === '' || job.isRunning()) return null
  const asked = chosenCase()
  job.set({ error: asked.ok ? null : asked.error })
  return asked.ok ? { draft, request: asked.value } : null
}
