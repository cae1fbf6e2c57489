import fs from 'node:fs/promises'
import path from 'node:path'

import type { CaptureReport, GraphArchive, GraphObservation, GraphText } from '../../contract/graph'
import type { HostInput } from '../../contract/host-calls'
import type { Manifest } from '../../contract/manifest'
import type { LoadReport } from '../../contract/operators'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import { placeError } from '../error-place'
import { callAgain, callOnLibrary } from '../host/call-on-library'
import type { Libraries } from '../host/call-on-library'
import { ioError } from '../project/files'
import { readManifest } from '../project/read-manifest'
import { Captures } from './captures'
import { describeExport, readExport } from './torch-export/archive'
import type { KnownOperators } from './torch-export/archive'
import { readGraphFile } from './graph-file'
import { fileKind } from './model-file'

export interface GraphOptions {
  /** Seconds; 0 for none. */
  timeout: number
  signal?: AbortSignal
}

/** What graphs need of the workbench. */
interface GraphSurroundings extends Libraries {
  program(folder: string): Promise<Result<ProgramSource | undefined>>
}

type CaptureInput = Omit<HostInput<'graph.capture'>, 'program'>

/** Seconds for questions about a graph that run no user code. */
const readTimeout = 120

/**
 * Fills what a request leaves out from opsmith.json: inputs by name, the arguments of the first call
 * of the entry, and the other calls of it as what a trace is checked on. A call of an archive's
 * method is not one of opsmith.json's.
 */
function fillFromManifest(request: CaptureInput, manifest: Manifest): CaptureInput {
  const inputs = { ...manifest.inputs, ...request.inputs }
  if (request.file !== undefined) return { ...request, inputs }
  const calls = manifest.calls.filter((call) => call.op === request.entry).map((call) => call.args)
  const args = (request.args ?? []).length > 0 ? request.args : calls[0]
  const given = JSON.stringify(args)
  const seen = new Set([given])
  const others = calls.filter((one) => {
    const text = JSON.stringify(one)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  return {
    ...request,
    inputs,
    ...(args === undefined ? {} : { args }),
    checks: (request.checks ?? []).length > 0 ? request.checks : others,
  }
}

/** Graphs of programs, operators and archives: captured in the op host, or read from a file. */
export class Graphs {
  private readonly captures: Captures
  /** Read to see what it is; whoever opens a graph reads it next, and large ones take a second. */
  private opened: { file: string; changed: number; text: GraphText } | undefined

  constructor(private readonly around: GraphSurroundings) {
    this.captures = new Captures(around.hosts)
  }

  /**
   * Captures a graph in the op host; the project's library is loaded first if it is not. `folder` ""
   * stands for no project, which is enough for an archive that uses libtorch's operators only.
   * Places in errors and graphs are absolute.
   */
  async capture(
    folder: string,
    request: CaptureInput,
    options: GraphOptions,
  ): Promise<Result<CaptureReport>> {
    if (folder === '') return await this.ask(request, options)
    const absolute = path.resolve(folder)
    const loaded = await this.loadFor(absolute, request.file !== undefined, options)
    if (!loaded.ok) return loaded
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    const program = await this.around.program(absolute)
    if (!program.ok) return program
    const filled = fillFromManifest(request, manifest.value)
    const report = await this.ask(
      { ...filled, ...(program.value ? { program: program.value } : {}) },
      options,
      loaded.value && absolute,
    )
    return placeError(report, absolute)
  }

  private async ask(
    request: HostInput<'graph.capture'>,
    options: GraphOptions,
    /** Whose library it needs. */
    folder?: string,
  ): Promise<Result<CaptureReport>> {
    const limits = { ...options, phase: `capture ${request.entry}` }
    const report =
      folder === undefined
        ? await callAgain(this.around.hosts, 'graph.capture', request, limits)
        : await callOnLibrary(this.around, folder, 'graph.capture', request, limits)
    if (report.ok) {
      const made = request.form === 'trace' ? 'traced' : 'scripted'
      const name = `${request.entry.replace(/\W+/g, '_')}_${made}.pt`
      return ok({ ...report.value, capture: this.captures.keep(report.value.capture, name) })
    }
    const withoutArguments = request.form !== 'script' && (request.args ?? []).length === 0
    if (withoutArguments && report.error.code === 'input.invalid') {
      return err(
        'input.invalid',
        `${request.entry} cannot be called without arguments, and the ${request.form} graph is of a call.`,
        {
          hint: `Give arguments, or add a call of ${request.entry} to opsmith.json.`,
          detail: report.error.message,
        },
      )
    }
    return report
  }

  /** An archive needs the project's operators only if it uses them: one not built is no obstacle. */
  private async loadFor(
    folder: string,
    forArchive: boolean,
    options: GraphOptions,
  ): Promise<Result<LoadReport | undefined>> {
    const loaded = await this.around.load(folder, options)
    if (!loaded.ok && forArchive && loaded.error.code === 'build.required') return ok(undefined)
    return loaded
  }

  /** One step of a capture; 0 is the graph as captured. */
  async read(capture: number, step: number): Promise<Result<GraphText>> {
    const found = this.captures.find(capture)
    if (!found.ok) return found
    return await this.around.hosts.call(
      'graph.read',
      { capture: found.value, step },
      { timeout: readTimeout, phase: '' },
    )
  }

  /** Runs a step node by node, on the arguments it was captured with. */
  async observe(
    capture: number,
    step: number,
    runs: number,
    options: GraphOptions,
  ): Promise<Result<GraphObservation>> {
    const found = this.captures.find(capture)
    if (!found.ok) return found
    return await this.around.hosts.call(
      'graph.observe',
      { capture: found.value, step, runs },
      { ...options, phase: 'run the graph' },
    )
  }

  async release(captures: readonly number[]): Promise<Result<{ released: number }>> {
    const alive = this.captures.take(captures)
    if (alive.length === 0) return ok({ released: 0 })
    return await this.around.hosts.call(
      'graph.release',
      { captures: alive },
      { timeout: readTimeout, phase: '' },
    )
  }

  /** A name for the archive of a capture: "compute_scripted.pt". */
  archiveName(capture: number): string {
    return this.captures.archiveName(capture)
  }

  /** Writes a script or trace capture as a TorchScript archive; `file` is absolute. */
  async save(capture: number, file: string): Promise<Result<{ path: string; bytes: number }>> {
    const found = this.captures.find(capture)
    if (!found.ok) return found
    try {
      await fs.mkdir(path.dirname(file), { recursive: true })
    } catch (error) {
      return ioError(error, `write ${file}`)
    }
    return await this.around.hosts.call(
      'graph.save',
      { capture: found.value, path: file },
      { timeout: readTimeout, phase: 'save the graph' },
    )
  }

  /** What a model file holds and what it needs that is not there; `folder` as in capture. */
  async openFile(
    folder: string,
    file: string,
    options: GraphOptions,
  ): Promise<Result<GraphArchive>> {
    const kind = await fileKind(file)
    if (!kind.ok) return kind
    if (kind.value === 'graph') {
      const { mtimeMs: changed } = await fs.stat(file)
      const read = await readGraphFile(file)
      if (!read.ok) return read
      this.opened = { file, changed, text: read.value.text }
      const entries = [{ name: read.value.name, schema: '' }]
      return ok({ path: file, kind: 'graph', entries, missing: [] })
    }
    if (folder !== '') {
      const loaded = await this.loadFor(folder, true, options)
      if (!loaded.ok) return loaded
    }
    if (kind.value === 'torchscript') {
      return await callAgain(
        this.around.hosts,
        'graph.archive',
        { path: file },
        { ...options, phase: `open ${path.basename(file)}` },
      )
    }
    const known = await this.knownOperators()
    return known.ok ? await describeExport(file, known.value) : known
  }

  /** The graph of a torch.export archive or of a JSON file; `entry` "" takes the first. */
  async readFile(file: string, entry: string): Promise<Result<GraphText>> {
    const kind = await fileKind(file)
    if (!kind.ok) return kind
    if (kind.value === 'torchscript') {
      return err('input.invalid', `${file} is a TorchScript archive, which the op host reads.`, {
        hint: 'Capture one of its methods.',
      })
    }
    if (kind.value === 'graph') {
      const kept = this.opened
      this.opened = undefined
      if (kept?.file === file && kept.changed === (await fs.stat(file)).mtimeMs)
        return ok(kept.text)
      const read = await readGraphFile(file)
      return read.ok ? ok(read.value.text) : read
    }
    const known = await this.knownOperators()
    return known.ok ? await readExport(file, entry, known.value) : known
  }

  private async knownOperators(): Promise<Result<KnownOperators>> {
    const listed = await callAgain(
      this.around.hosts,
      'registry.list',
      {},
      { timeout: readTimeout, phase: '' },
    )
    if (!listed.ok) return listed
    const loaded = this.around.hosts.loadedReport()
    return ok({
      schemas: new Map(listed.value.map((one) => [`${one.name}.${one.overload}`, one.schema])),
      custom: new Set(loaded?.operators.map((one) => `${one.name}.${one.overload}`)),
      classes: new Set(loaded?.classes.map((one) => one.name)),
    })
  }
}
