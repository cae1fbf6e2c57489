import path from 'node:path'

import type { CaptureReport, Graph, GraphArchive, GraphObservation } from '../../../contract/graph'
import type { Manifest } from '../../../contract/manifest'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { readSettings } from '../../../engine/project/settings-file'
import type { Workbench } from '../../../engine/workbench'
import type { GraphOptions } from './options'
import { loadTimeout } from '../../building'

/** A graph as asked for, and all that is known of how it came about. */
export interface TakenGraph {
  graph: Graph
  /** As PyTorch prints it. */
  text: string
  /** Of what the op host captured; absent for a graph read from a file. */
  report?: CaptureReport
  /** The graphs before each pass, the captured one first; empty without passes. */
  before: Graph[]
  observation?: GraphObservation
  saved?: { path: string; bytes: number }
  /** Operators of a torch.export archive that nothing has registered. */
  missing: string[]
}

const observedRuns = 10

async function limitsOf(workbench: Workbench, options: GraphOptions): Promise<{ timeout: number }> {
  if (options.timeout > 0) return { timeout: options.timeout }
  const { callTimeout } = await readSettings(workbench.installation.configFolder)
  return { timeout: callTimeout }
}

async function readStep(
  workbench: Workbench,
  capture: number,
  step: number,
): Promise<Result<{ graph: Graph; text: string }>> {
  const read = await workbench.graphs.read(capture, step)
  return read.ok
    ? ok({ graph: JSON.parse(read.value.graph) as Graph, text: read.value.text })
    : read
}

async function take(
  workbench: Workbench,
  folder: string,
  entry: string,
  file: string | undefined,
  options: GraphOptions,
): Promise<Result<TakenGraph>> {
  const limits = await limitsOf(workbench, options)
  const report = await workbench.graphs.capture(
    folder,
    {
      entry,
      form: options.form,
      args: options.args,
      passes: options.passes,
      ...(file === undefined ? {} : { file }),
    },
    limits,
  )
  if (!report.ok) return report
  const { capture, steps } = report.value
  const before: Graph[] = []
  for (let step = 0; step < steps.length - 1; step += 1) {
    const read = await readStep(workbench, capture, step)
    if (!read.ok) return read
    before.push(read.value.graph)
  }
  const last = await readStep(workbench, capture, steps.length - 1)
  if (!last.ok) return last
  const taken: TakenGraph = { ...last.value, report: report.value, before, missing: [] }
  if (options.observe) {
    const seen = await workbench.graphs.observe(capture, steps.length - 1, observedRuns, limits)
    if (!seen.ok) return seen
    taken.observation = seen.value
  }
  if (options.save !== '') {
    const saved = await workbench.graphs.save(capture, options.save)
    if (!saved.ok) return saved
    taken.saved = saved.value
  }
  return ok(taken)
}

/** What a user means who names no entry: the first program function that opsmith.json calls. */
export async function firstEntry(
  workbench: Workbench,
  folder: string,
  manifest: Manifest,
): Promise<Result<string>> {
  // A program that uses the project's operators compiles only next to them.
  const loaded = await workbench.libraries.load(folder, { timeout: loadTimeout })
  if (!loaded.ok) return loaded
  const functions = await workbench.runs.programFunctions(folder)
  if (!functions.ok) return functions
  const names = functions.value.map((one) => one.name)
  const called = manifest.calls.map((call) => call.op)
  const entry = called.find((op) => names.includes(op)) ?? names[0] ?? called[0]
  return entry === undefined
    ? err(
        'request.invalid',
        `opsmith.json of ${manifest.name} has no TorchScript program and no calls. Choose an operator with --entry.`,
      )
    : ok(entry)
}

/** The graph of a project that has been built. */
export async function graphOfProject(
  workbench: Workbench,
  folder: string,
  manifest: Manifest,
  options: GraphOptions,
): Promise<Result<TakenGraph>> {
  const entry =
    options.entry === '' ? await firstEntry(workbench, folder, manifest) : ok(options.entry)
  return entry.ok ? await take(workbench, folder, entry.value, undefined, options) : entry
}

/** What the options ask for that only a capture can do; "" when there is nothing. */
function askedOfCapture(options: GraphOptions): string {
  if (options.formGiven) return `--${options.form}`
  if (options.passes.length > 0) return '--pass'
  if (options.args.length > 0) return '--args'
  if (options.observe) return '--observe'
  return options.save === '' ? '' : '--save'
}

function entryOf(archive: GraphArchive, wanted: string): Result<string> {
  const names = archive.entries.map((one) => one.name)
  const entry = wanted === '' ? names[0] : names.find((name) => name === wanted)
  if (entry !== undefined) return ok(entry)
  const held = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '')
  return err(
    'operator.unknown',
    wanted === ''
      ? `${archive.path} contains no method or graph.`
      : `${archive.path} contains no method or graph named ${wanted}.`,
    {
      hint:
        names.length === 0
          ? 'Choose another file: a model that torch.jit.save or torch.export.save wrote.'
          : `The file contains ${held}.`,
    },
  )
}

/** The graph of a model file; `folder` is a built project whose operators it may use, "" for none. */
export async function graphOfFile(
  workbench: Workbench,
  file: string,
  folder: string,
  options: GraphOptions,
): Promise<Result<TakenGraph>> {
  const limits = await limitsOf(workbench, options)
  const archive = await workbench.graphs.openFile(folder, file, limits)
  if (!archive.ok) return archive
  const { kind, missing } = archive.value
  if (kind === 'torchscript') {
    if (missing.length > 0) {
      return err(
        'operator.unknown',
        `${path.basename(file)} uses operators or classes that are not loaded: ${missing.join(', ')}.`,
        {
          hint: 'Choose the project that registers these names: --project FOLDER.',
        },
      )
    }
    const entry = entryOf(archive.value, options.entry)
    return entry.ok ? await take(workbench, folder, entry.value, file, options) : entry
  }
  const asked = askedOfCapture(options)
  if (asked !== '') {
    return err(
      'request.invalid',
      `${asked} needs a function that can run, but ${path.basename(file)} contains only a graph.`,
      {
        hint: `Leave out ${asked}, or give a project or a TorchScript archive instead of this file.`,
      },
    )
  }
  const entry = entryOf(archive.value, options.entry)
  if (!entry.ok) return entry
  const read = await workbench.graphs.readFile(file, entry.value)
  if (!read.ok) return read
  return ok({
    graph: JSON.parse(read.value.graph) as Graph,
    text: read.value.text,
    before: [],
    missing,
  })
}
