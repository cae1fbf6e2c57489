import type { AppInput } from '../../../electron/contract/app-calls'
import type { GraphForm, GraphText } from '../../../electron/contract/graph'
import type { Argument } from '../../../electron/contract/manifest'
import { err, ok, type Result } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { hostStore } from '../../store/host'
import { effectiveInputs } from '../../store/inputs'
import { currentManifest } from '../../store/project'
import { libraryStamp } from '../../store/schemas'
import {
  dropDocuments,
  formNames,
  loadDocument,
  type GraphChoice,
  type LoadedGraph,
  type Shot,
} from './graph'
import { entryArguments, parseEntryArguments } from './graph-entry'

/** What a shot is taken of. */
export type Subject = { entry: string; form: GraphForm }

/** Equal for shots of the same thing, whatever the sources were. */
export function shotKey(choice: GraphChoice, { entry, form }: Subject): string {
  return JSON.stringify([choice.file?.path ?? '', entry, form, choice.passes])
}

/** Equal for all forms and passes of one entry. */
function modelOf(choice: GraphChoice, entry: string): string {
  return JSON.stringify([choice.file?.path ?? '', entry])
}

/** Captures in the op host, or reads a file whose graph needs no capture. */
export async function takeShot(
  folder: string,
  job: string,
  choice: GraphChoice,
  subject: Subject,
): Promise<Result<Shot>> {
  const { entry, form } = subject
  const stamp = libraryStamp()
  const key = shotKey(choice, subject)
  const model = modelOf(choice, entry)
  const title = `${entry} · ${formNames[form].toLowerCase()}`
  if (choice.file !== null && choice.file.kind !== 'torchscript') {
    const read = await call('graph.readExport', { path: choice.file.path, entry })
    if (!read.ok) return read
    const steps = new Map([[0, await load(read.value)]])
    return ok({ key, model, title, report: null, steps, stepCount: 1, stamp, generation: 0 })
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
  return ok({ key, model, title, report, steps: new Map(), stepCount, stamp, generation })
}

/** The entry's arguments: typed, of the chosen call, or left to the engine (the first call's). */
function argumentsFor(choice: GraphChoice, entry: string): Result<Argument[]> {
  if (entry === choice.entry && choice.argsText !== null) {
    return parseEntryArguments(entry, choice.argsText)
  }
  const calls = currentManifest()?.calls ?? []
  const chosen = choice.callIndex === null ? undefined : calls[choice.callIndex]
  const fitting = chosen?.op === entry ? chosen : calls.find((item) => item.op === entry)
  if (fitting) return ok(fitting.args)
  // No call names it: inputs of its arguments' names, where there are such.
  const guessed = parseEntryArguments(entry, entryArguments(entry))
  return guessed.ok ? guessed : ok([])
}

async function load(text: GraphText): Promise<LoadedGraph> {
  return loadDocument(text.graph, text.text)
}

/** Reads a file's graph, to compare with. */
export async function readFileGraph(path: string): Promise<Result<LoadedGraph>> {
  const text = await call('graph.readExport', { path, entry: '' })
  return text.ok ? ok(await load(text.value)) : text
}

/** The graph of a step; read from the op host when it was not looked at before. */
export async function readStep(shot: Shot, step: number): Promise<Result<LoadedGraph>> {
  const known = shot.steps.get(step)
  if (known) return ok(known)
  if (!shot.report || !isAlive(shot)) {
    return err(
      'build.required',
      'This step of the graph is gone: the process that captured the graph has exited.',
      {
        hint: 'Capture the graph again.',
      },
    )
  }
  const result = await call('graph.read', { capture: shot.report.capture, step })
  if (!result.ok) return result
  const graph = await load(result.value)
  shot.steps.set(step, graph)
  return ok(graph)
}

/** Whether the op host still has it. */
export function isAlive(shot: Shot): boolean {
  return shot.report !== null && shot.generation === (hostStore.getState().host?.generation ?? 0)
}

/** Frees captures in the op host, and their graphs in the worker. */
export function dropShots(shots: Iterable<Shot>): void {
  const captures: number[] = []
  for (const shot of shots) {
    dropDocuments([...shot.steps.values()].map((graph) => graph.doc))
    if (shot.report && isAlive(shot)) captures.push(shot.report.capture)
  }
  if (captures.length > 0) void call('graph.release', { captures })
}
