import type { AppInput } from '../../../electron/contract/app-calls'
import type { GraphForm, GraphText } from '../../../electron/contract/graph'
import type { Argument } from '../../../electron/contract/manifest'
import type { Result, WorkbenchError } from '../../../electron/contract/outcome'
import { call, newJob } from '../../bridge/bridge'
import { runStamp } from '../../store/files'
import {
  dropDocuments,
  formNames,
  graphStore,
  loadDocument,
  type GraphChoice,
  type LoadedGraph,
  type Shot,
  type ShownGraph,
} from './graph'
import { chooseEntry, entryArguments, parseEntryArguments } from './graph-entry'
import { hostStore, noteCrash } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { currentFolder, currentManifest } from '../../store/project'

/**
 * Capturing what the choice asks for, and keeping what is shown up to date. One capture at a time; a
 * newer wish takes the older one's place.
 */

/** A graph is looked at (the panel is open): until then nothing is captured. */
let watchers = 0

/**
 * What the op host does for the graph. User code cannot be interrupted: to end it is to end the op host,
 * and with it everything that it holds, so what is nearly done is waited for.
 */
let inHost: { job: string; ended: Promise<unknown> } | null = null
/** Milliseconds that something newer waits for something older that nobody needs any more. */
const patience = 1_500

/** Does `work` when the op host has ended what it does for the graph; null when `job` is not wanted by then. */
async function whenFree<T>(job: string, work: () => Promise<T>): Promise<T | null> {
  while (inHost !== null) {
    const before = inHost
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise((resolve) => (timer = setTimeout(resolve, patience)))
    await Promise.race([before.ended, late])
    clearTimeout(timer)
    if (graphStore.getState().job !== job) return null
    if (inHost !== before) continue
    await call('job.cancel', { job: before.job })
    await before.ended
  }
  if (graphStore.getState().job !== job) return null
  const working = work()
  const mine = { job, ended: working.catch(() => undefined) }
  inHost = mine
  try {
    return await working
  } finally {
    if (inHost === mine) inHost = null
  }
}

/** The capture under way, and what it is of. */
let capturing: { wish: string; done: Promise<void> } | null = null

export function watchGraph(): () => void {
  watchers += 1
  return () => {
    watchers -= 1
  }
}

/** The panel was opened: shows what there is, captures what is not there or older than the sources. */
export async function openGraph(): Promise<void> {
  const { shown, job, error } = graphStore.getState()
  if (job !== null) return
  if (shown && !isOlder(shown)) return
  if (error && graphStore.getState().crashedStamp === runStamp()) return
  if (!chooseEntry()) return
  await captureGraph()
}

/** After a good build or a saved program: what is shown is captured again, its changes marked. */
export async function refreshGraph(): Promise<void> {
  chooseEntry()
  const { choice, crashedStamp } = graphStore.getState()
  if (watchers === 0 || choice.entry === '') return
  if (crashedStamp === runStamp()) return
  if (choice.file !== null && choice.file.kind !== 'torchscript') return
  await captureGraph()
}

/** After an edit of the inputs in opsmith.json: a script does not depend on them. */
export function refreshAfterInputs({ building }: { building: boolean }): void {
  if (!building && graphStore.getState().choice.form !== 'script') void refreshGraph()
}

function isOlder(shown: ShownGraph): boolean {
  return shown.shot.report !== null && shown.shot.stamp !== runStamp()
}

export async function captureGraph(): Promise<void> {
  const folder = currentFolder()
  const { choice, job } = graphStore.getState()
  if (folder === null || choice.entry === '') return
  // A build's end and a panel that opens ask for the same at once.
  const wish = JSON.stringify([folder, choice, runStamp(), effectiveInputs()])
  if (job !== null && capturing?.wish === wish) return capturing.done
  const mine = { wish, done: captureOnce(folder, choice) }
  capturing = mine
  try {
    await mine.done
  } finally {
    if (capturing === mine) capturing = null
  }
}

async function captureOnce(folder: string, choice: GraphChoice): Promise<void> {
  const before = graphStore.getState().shown
  const job = newJob('graph')
  const working = `${formNames[choice.form]} of ${choice.entry}`
  graphStore.setState({ job, working, startedAt: Date.now(), error: null, compareError: null })
  const take = (): Promise<Result<Shot>> => takeShot(folder, job, choice, choice.entry, choice.form)
  const taken = await whenFree(job, take)
  if (taken === null) return
  if (graphStore.getState().job !== job) {
    if (taken.ok) forgetShots([taken.value])
    return
  }
  if (!taken.ok) {
    failed(taken.error)
    return
  }
  const shot = taken.value
  // The last build's graph stays to compare with until a newer build's takes its place.
  const { lastBuild } = graphStore.getState()
  const previous = before?.shot
  let kept = lastBuild?.key === shot.key ? lastBuild : null
  if (previous && previous.key === shot.key && previous.stamp !== shot.stamp) kept = previous
  graphStore.setState({
    lastBuild: kept,
    observation: null,
    observeError: null,
    crashedStamp: null,
  })
  await showStep(shot, choice.step, job)
  forgetShots([lastBuild, previous ?? null])
}

/** Shows a step of what was captured, with what the choice compares it with. */
async function showStep(shot: Shot, step: number | null, job: string): Promise<void> {
  const index = Math.min(step ?? shot.stepCount - 1, shot.stepCount - 1)
  const graph = await readStep(shot, index)
  if (graphStore.getState().job !== job) return
  if (!graph.ok) {
    failed(graph.error)
    return
  }
  const compare = await comparison(shot, index, job)
  if (graphStore.getState().job !== job) return
  graphStore.setState({
    job: null,
    shown: { shot, step: index, graph: graph.value, compare: compare.ok ? compare.value : null },
    compareError: compare.ok ? null : compare.error,
  })
}

/** Another step, or another thing to compare with: nothing is captured that is there. */
export async function showAgain(): Promise<void> {
  const { shown, choice, job } = graphStore.getState()
  if (job !== null || !shown) {
    await captureGraph()
    return
  }
  const wanted = choice.step ?? shown.shot.stepCount - 1
  const isThere = shown.shot.steps.has(Math.min(wanted, shown.shot.stepCount - 1))
  if (!isThere && !isAlive(shown.shot)) {
    await captureGraph()
    return
  }
  const next = newJob('graph')
  const working = `Step of ${choice.entry}`
  graphStore.setState({
    job: next,
    working,
    startedAt: Date.now(),
    error: null,
    compareError: null,
  })
  await showStep(shown.shot, choice.step, next)
}

export async function stopGraph(): Promise<void> {
  if (graphStore.getState().job === null) return
  graphStore.setState({ job: null })
  if (inHost) await call('job.cancel', { job: inHost.job })
}

function failed(error: WorkbenchError): void {
  if (error.exit) noteCrash(error.exit)
  graphStore.setState({
    job: null,
    error: error.code === 'cancelled' ? null : error,
    crashedStamp: error.exit ? runStamp() : null,
  })
}

/** Whether the op host still has it. */
export function isAlive(shot: Shot): boolean {
  return shot.report !== null && shot.generation === (hostStore.getState().host?.generation ?? 0)
}

async function takeShot(
  folder: string,
  job: string,
  choice: GraphChoice,
  entry: string,
  form: GraphForm,
): Promise<Result<Shot>> {
  const stamp = runStamp()
  const key = JSON.stringify([choice.file?.path ?? '', entry, form, choice.passes])
  const title = `${entry} · ${formNames[form].toLowerCase()}`
  if (choice.file !== null && choice.file.kind !== 'torchscript') {
    const read = await call('graph.readExport', { path: choice.file.path, entry })
    if (!read.ok) return read
    const graph = await load(read.value)
    const steps = new Map([[0, graph]])
    const rest = { report: null, stepCount: 1, stamp, generation: 0 }
    return { ok: true, value: { key, title, steps, ...rest } }
  }
  const args = argumentsFor(choice, entry)
  if (!args.ok) return args
  const request: AppInput<'graph.capture'>['request'] = {
    entry,
    form,
    args: args.value,
    inputs: effectiveInputs(),
    passes: choice.passes,
    ...(choice.file === null ? {} : { file: choice.file.path }),
  }
  const result = await call('graph.capture', { folder, job, request, timeout: 0 })
  if (!result.ok) return result
  const generation = hostStore.getState().host?.generation ?? 0
  const report = result.value
  const stepCount = report.steps.length
  return { ok: true, value: { key, title, report, steps: new Map(), stepCount, stamp, generation } }
}

/** The entry's arguments: typed, of the chosen call, or left to the engine (the first call's). */
function argumentsFor(choice: GraphChoice, entry: string): Result<Argument[]> {
  if (entry === choice.entry && choice.argsText !== null) {
    return parseEntryArguments(entry, choice.argsText)
  }
  const calls = currentManifest()?.calls ?? []
  const chosen = choice.callIndex === null ? undefined : calls[choice.callIndex]
  const fitting = chosen?.op === entry ? chosen : calls.find((item) => item.op === entry)
  if (fitting) return { ok: true, value: fitting.args }
  // No call names it: inputs of its arguments' names, where there are such.
  const guessed = parseEntryArguments(entry, entryArguments(entry))
  return guessed.ok ? guessed : { ok: true, value: [] }
}

async function load(text: GraphText): Promise<LoadedGraph> {
  return loadDocument(text.graph, text.text)
}

async function readStep(shot: Shot, step: number): Promise<Result<LoadedGraph>> {
  const known = shot.steps.get(step)
  if (known) return { ok: true, value: known }
  if (!shot.report || !isAlive(shot)) {
    return {
      ok: false,
      error: {
        code: 'build.required',
        message: 'This step went with the op host that captured it.',
        hint: 'Capture the graph again.',
      },
    }
  }
  const result = await call('graph.read', { capture: shot.report.capture, step })
  if (!result.ok) return result
  const graph = await load(result.value)
  shot.steps.set(step, graph)
  return { ok: true, value: graph }
}

type Compared = NonNullable<ShownGraph['compare']>

/** What the shown step is marked against; null where there is nothing, and that is no error. */
async function comparison(shot: Shot, step: number, job: string): Promise<Result<Compared | null>> {
  const { choice, lastBuild } = graphStore.getState()
  const { compare } = choice
  const none: Result<Compared | null> = { ok: true, value: null }
  switch (compare.kind) {
    case 'none':
      return none
    case 'auto':
      return step > 0 ? comparedStep(shot, step - 1) : comparedBuild(lastBuild, step)
    case 'build':
      return comparedBuild(lastBuild, step)
    case 'step':
      return step > 0 ? comparedStep(shot, step - 1) : none
    case 'form':
      if (compare.form === choice.form) return none
      return comparedOther(choice, choice.entry, compare.form, step, job)
    case 'entry':
      if (compare.entry === choice.entry) return none
      return comparedOther(choice, compare.entry, choice.form, step, job)
    case 'file':
      return comparedFile(compare.path)
  }
}

async function comparedStep(shot: Shot, step: number): Promise<Result<Compared | null>> {
  const graph = await readStep(shot, step)
  if (!graph.ok) return graph
  const name = shot.report?.steps[step]?.name ?? 'captured'
  return { ok: true, value: { graph: graph.value, title: `step ${step}: ${name}` } }
}

function comparedBuild(lastBuild: Shot | null, step: number): Result<Compared | null> {
  // Steps that nobody looked at before the build are gone with the op host.
  const graph = lastBuild?.steps.get(step)
  return { ok: true, value: graph ? { graph, title: 'the last build' } : null }
}

const others = new Map<string, Shot>()

async function comparedOther(
  choice: GraphChoice,
  entry: string,
  form: GraphForm,
  step: number,
  job: string,
): Promise<Result<Compared | null>> {
  const folder = currentFolder()
  if (folder === null) return { ok: true, value: null }
  const key = JSON.stringify([choice.file?.path ?? '', entry, form, choice.passes])
  let shot = others.get(key)
  if (!shot || shot.stamp !== runStamp()) {
    const taken = await whenFree(job, () => takeShot(folder, job, choice, entry, form))
    if (taken === null) return { ok: true, value: null }
    if (!taken.ok) return taken
    forgetShots([shot ?? null])
    shot = taken.value
    others.set(key, shot)
  }
  const graph = await readStep(shot, Math.min(step, shot.stepCount - 1))
  if (!graph.ok) return graph
  return { ok: true, value: { graph: graph.value, title: shot.title } }
}

const files = new Map<string, LoadedGraph>()

async function comparedFile(path: string): Promise<Result<Compared | null>> {
  const known = files.get(path)
  const title = path.slice(path.lastIndexOf('/') + 1)
  if (known) return { ok: true, value: { graph: known, title } }
  const text = await call('graph.readExport', { path, entry: '' })
  if (!text.ok) return text
  const graph = await load(text.value)
  files.set(path, graph)
  return { ok: true, value: { graph, title } }
}

/** Lets go of captures that nothing shows or compares with any more. */
function forgetShots(shots: (Shot | null)[]): void {
  const { shown, lastBuild } = graphStore.getState()
  const needed = new Set<Shot | null | undefined>([shown?.shot, lastBuild, ...others.values()])
  const gone = [...new Set(shots)].filter((shot) => shot !== null && !needed.has(shot))
  const captures: number[] = []
  for (const shot of gone) {
    if (!shot) continue
    dropDocuments([...shot.steps.values()].map((graph) => graph.doc))
    if (shot.report && isAlive(shot)) captures.push(shot.report.capture)
  }
  if (captures.length > 0) void call('graph.release', { captures })
}

/** Another project. */
export function forgetGraph(): void {
  void stopGraph()
  const { shown, lastBuild } = graphStore.getState()
  const before = [shown?.shot ?? null, lastBuild, ...others.values()]
  others.clear()
  dropDocuments([...files.values()].map((graph) => graph.doc))
  files.clear()
  graphStore.setState(graphStore.getInitialState(), true)
  forgetShots(before)
}

/** Runs the shown step once, node by node, for the overlays; asked for once a graph. */
export async function observeGraph(runs = 5): Promise<void> {
  const folder = currentFolder()
  const { shown, job, observation } = graphStore.getState()
  if (folder === null || !shown || job !== null) return
  if (observation?.doc === shown.graph.doc) return
  if (!shown.shot.report) return
  if (!isAlive(shown.shot)) {
    await captureGraph()
    if (graphStore.getState().shown?.shot === shown.shot) return
    return observeGraph(runs)
  }
  const next = newJob('observe')
  const working = `Runs ${shown.shot.title}`
  graphStore.setState({ job: next, working, startedAt: Date.now(), observeError: null })
  const { capture } = shown.shot.report
  const { step } = shown
  const observe = { folder, job: next, capture, step, runs }
  const result = await whenFree(next, () => call('graph.observe', observe))
  if (result === null || graphStore.getState().job !== next) return
  if (result.ok) {
    graphStore.setState({ job: null, observation: { doc: shown.graph.doc, value: result.value } })
    return
  }
  if (result.error.exit) noteCrash(result.error.exit)
  const observeError = result.error.code === 'cancelled' ? null : result.error
  graphStore.setState({ job: null, observeError })
}
