import type { CheckedReport, SweepDtype } from '../../../electron/contract/gradcheck'
import type { InputSpec } from '../../../electron/contract/manifest'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call, newJob } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import {
  begunWork,
  firstFinding,
  gradcheckStore,
  releaseJacobians,
  type GradcheckState,
} from './store'
import { caseOf, draftOf, emptyDraft, type GradcheckCase, type GradcheckDraft } from './case'
import { inputsNamed } from '../../store/argument-list'
import { defaultArguments } from '../../store/default-arguments'
import { hostStore, noteCrash } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { currentFolder, currentManifest } from '../../store/project'

/** How long after the last edit a check begins. */
const debounce = 350
/** A check that runs gets this long to end by itself: stopping one costs its op host. */
const patience = 1_500

let timer: ReturnType<typeof setTimeout> | undefined

/** Fills the fields from an entry of opsmith.json and checks it, with Jacobians to look at. */
export function chooseEntry(index: number): void {
  const manifest = currentManifest()
  const entry = manifest?.gradchecks[index]
  if (!manifest || !entry) return
  const known = gradcheckStore.getState().outcomes[index]
  choose(draftOf(entry, manifest.inputs), index)
  const error = known?.outcome.error
  if (known && error?.exit) {
    // What ended the op host would end it again: that is for the user to ask for.
    gradcheckStore.setState({ error, stamp: known.stamp })
    return
  }
  void runGradcheck()
}

/** Checks another operator or function; arguments are guessed from the calls and the inputs' names. */
export function chooseOther(op: string, argsText = defaultArguments(op)): void {
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
  const { report, generation } = gradcheckStore.getState()
  clearTimeout(timer)
  releaseJacobians(report, generation)
  gradcheckStore.setState({
    draft,
    entry,
    report: null,
    error: null,
    stamp: null,
    finding: null,
    history: [],
    sweepError: null,
    searchError: null,
  })
}

/** Takes an edit of the fields; a check of the new case starts by itself. */
export function editDraft(change: Partial<GradcheckDraft>): void {
  gradcheckStore.setState((state) => ({ draft: { ...state.draft, ...change }, entry: null }))
  clearTimeout(timer)
  timer = setTimeout(() => void runGradcheck(), debounce)
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

let running: Promise<void> = Promise.resolve()
let wanted = 0
/** What the shown report answers, with the sources that it is of. */
let answered = ''

/** Checks the chosen case; of several wishes while one runs, the last counts. */
export async function runGradcheck(): Promise<void> {
  clearTimeout(timer)
  wanted += 1
  const mine = wanted
  if (gradcheckStore.getState().job !== null) {
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, patience))])
    if (mine !== wanted) return
    const { job } = gradcheckStore.getState()
    if (job !== null) await call('job.cancel', { job })
    await running
  }
  if (mine !== wanted || gradcheckStore.getState().draft.op === '') return
  running = check()
  await running
}

async function check(): Promise<void> {
  const folder = currentFolder()
  const { draft } = gradcheckStore.getState()
  if (folder === null) return
  const asked = caseOf(draft, effectiveInputs())
  if (!asked.ok) {
    takeReport({ error: asked.error, stamp: null })
    return
  }
  const job = newJob('gradcheck')
  const stamp = runStamp()
  const question = JSON.stringify([asked.value, stamp])
  gradcheckStore.setState({ job, startedAt: Date.now() })
  const result = await call('gradcheck.run', {
    folder,
    job,
    request: { ...asked.value, keepJacobians: true },
    timeout: draft.timeout,
  })
  const now = gradcheckStore.getState()
  const isOurs = now.job === job
  if (isOurs) gradcheckStore.setState({ job: null })
  // An edit meanwhile is checked next: this answers a question that is no longer asked.
  if (!isOurs || now.draft !== draft || currentFolder() !== folder) {
    if (result.ok) releaseJacobians(result.value, hostStore.getState().host?.generation ?? 0)
    return
  }
  if (!result.ok) {
    if (result.error.exit) noteCrash(result.error.exit)
    // A stopped check says nothing about the operator: what was known before stays.
    if (result.error.code !== 'cancelled') takeReport({ error: result.error, stamp })
    return
  }
  const finding = keepFinding(now, result.value)
  releaseJacobians(now.report, now.generation)
  const generation = hostStore.getState().host?.generation ?? 0
  answered = question
  gradcheckStore.setState({ report: result.value, error: null, stamp, generation, finding })
  void loadHistory(folder, asked.value)
}

/** The same Jacobian stays in view over an edit, unless it tells less than another one now. */
function keepFinding(state: GradcheckState, report: CheckedReport): number | null {
  const first = firstFinding(report)
  if (state.finding === null) return first
  const before = state.report?.findings[state.finding]
  const now = report.findings[state.finding]
  const isSame = now?.check === before?.check && now?.error !== undefined
  return isSame && (now.status === 'failed' || report.ok) ? state.finding : first
}

function takeReport(what: { error: WorkbenchError; stamp: string | null }): void {
  const { report, generation } = gradcheckStore.getState()
  releaseJacobians(report, generation)
  gradcheckStore.setState({ report: null, finding: null, ...what })
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
  const { draft, report, error, stamp, generation } = gradcheckStore.getState()
  if (draft.op === '' || (report === null && error === null)) return
  if (error?.exit !== undefined && stamp === runStamp()) return
  const asked = chosenCase()
  const question = asked.ok ? JSON.stringify([asked.value, runStamp()]) : ''
  // The first choice of a window may have been checked before all of opsmith.json's were; one of
  // those may have ended the op host that held its Jacobians.
  const isHeld = generation === hostStore.getState().host?.generation
  if (report !== null && question === answered && isHeld) return
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
  chooseEntry(entry)
  return true
}

/** The error over eps of the chosen case, in each precision. */
export async function sweepEps(): Promise<void> {
  const folder = currentFolder()
  const { draft, sweeping } = gradcheckStore.getState()
  const asked = chosenCase()
  if (folder === null || draft.op === '' || sweeping !== null) return
  if (!asked.ok) {
    gradcheckStore.setState({ sweepError: asked.error })
    return
  }
  const work = begunWork('sweep')
  const sweepKey = caseKey(draft)
  const sweepStamp = runStamp()
  gradcheckStore.setState({ sweeping: work, sweepPoints: [], sweepError: null })
  const dtypes: SweepDtype[] = ['float32', 'float64']
  const result = await call('gradcheck.sweep', {
    folder,
    job: work.job,
    eps: [],
    dtypes,
    timeout: draft.timeout,
    request: { ...asked.value, keepJacobians: false },
  })
  if (gradcheckStore.getState().sweeping?.job !== work.job) return
  gradcheckStore.setState({ sweeping: null })
  if (result.ok) gradcheckStore.setState({ sweep: result.value, sweepKey, sweepStamp })
  else gradcheckStore.setState({ sweepError: shownError(result.error) })
}

/** gradcheck at `points` random points: where is it worst? */
export async function searchWorst(points: number, firstSeed: number): Promise<void> {
  const folder = currentFolder()
  const { draft, searching } = gradcheckStore.getState()
  const asked = chosenCase()
  if (folder === null || draft.op === '' || searching !== null) return
  if (!asked.ok) {
    gradcheckStore.setState({ searchError: asked.error })
    return
  }
  const work = { ...begunWork('search'), total: points }
  const key = searchKey(draft)
  const searchStamp = runStamp()
  gradcheckStore.setState({ searching: work, searchError: null })
  const result = await call('gradcheck.search', {
    folder,
    job: work.job,
    points,
    firstSeed,
    timeout: draft.timeout,
    request: { ...asked.value, keepJacobians: false },
  })
  if (gradcheckStore.getState().searching?.job !== work.job) return
  gradcheckStore.setState({ searching: null })
  if (result.ok) gradcheckStore.setState({ search: result.value, searchKey: key, searchStamp })
  else gradcheckStore.setState({ searchError: shownError(result.error) })
}

function shownError(error: WorkbenchError): WorkbenchError | null {
  if (error.exit) noteCrash(error.exit)
  return error.code === 'cancelled' ? null : error
}

/** Ends all that runs. */
export async function stopGradchecks(): Promise<void> {
  clearTimeout(timer)
  wanted += 1
  const { job, all, sweeping, searching } = gradcheckStore.getState()
  const jobs = [job, all?.job, sweeping?.job, searching?.job].flatMap((id) => id ?? [])
  await Promise.all(jobs.map((id) => call('job.cancel', { job: id })))
}
