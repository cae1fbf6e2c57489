import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'

import type { CaptureReport, GraphArchive, GraphObservation, GraphText } from '../../contract/graph'
import type { HostInput } from '../../contract/host-calls'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { placeError } from '../error-place'
import type { CallLimits, Libraries } from '../builds/libraries'
import { callAgain } from '../host/call-on-library'
import type { HostPool } from '../host/host-pool'
import { hostsFolder } from '../host/sandbox'
import type { Installation } from '../installation'
import { ioError } from '../project/files'
import type { OpenProject, ProjectOrFolder, Projects } from '../project/open-project'
import { Captures } from './captures'
import { describeExport, readExport } from './torch-export/archive'
import type { KnownOperators } from './torch-export/archive'
import { readGraphFile } from './graph-file'
import { fileKind } from './model-file'

interface GraphServices {
  installation: Installation
  projects: Projects
  libraries: Libraries
  hosts: HostPool
}

/** For graphs that are read without an op host: none is known, and none is called missing. */
const noOperators: KnownOperators = { schemas: new Map(), custom: new Set(), classes: new Set() }

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

function needsTrust(file: string): Result<never> {
  const name = path.basename(file)
  return err(
    'project.restricted',
    `${name} is a TorchScript archive. Loading it can run code, so restricted mode does not load it.`,
    {
      hint: 'Trust the folder to open the archive. In restricted mode, Opsmith shows only torch.export archives (.pt2) and graphs as JSON.',
    },
  )
}

/** Graphs of programs, operators and archives: captured in the op host, or read from a file. */
export class Graphs {
  private readonly captures: Captures
  /** Read to see what it is; whoever opens a graph reads it next, and large ones take a second. */
  private opened: { file: string; changed: number; text: GraphText } | undefined

  constructor(private readonly services: GraphServices) {
    this.captures = new Captures(services.hosts)
  }

  /**
   * Captures a graph in the op host; the project's library is loaded first if it is not. `folder` ""
   * stands for no project, which is enough for an archive that uses libtorch's operators only.
   * Places in errors and graphs are absolute.
   */
  async capture(
    folder: string,
    request: CaptureInput,
    limits: CallLimits,
  ): Promise<Result<CaptureReport>> {
    if (folder === '') return await this.ask(request, limits)
    const opened = await this.services.projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    const loaded = await this.loadFor(project, request.file !== undefined, limits)
    if (!loaded.ok) return loaded
    const program = await project.program()
    if (!program.ok) return program
    const filled = fillFromManifest(request, project.manifest)
    const report = await this.ask(
      { ...filled, ...(program.value ? { program: program.value } : {}) },
      limits,
      loaded.value ? project : undefined,
    )
    return placeError(report, project.folder)
  }

  private async ask(
    request: HostInput<'graph.capture'>,
    limits: CallLimits,
    /** Whose library it needs. */
    project?: OpenProject,
  ): Promise<Result<CaptureReport>> {
    const options = { ...limits, phase: `capture ${request.entry}` }
    const { hosts, libraries } = this.services
    const report = project
      ? await libraries.call(project, 'graph.capture', request, options)
      : await callAgain(hosts, 'graph.capture', request, options)
    if (report.ok) {
      const made = request.form === 'trace' ? 'traced' : 'scripted'
      const name = `${request.entry.replace(/\W+/g, '_')}_${made}.pt`
      return ok({ ...report.value, capture: this.captures.keep(report.value.capture, name) })
    }
    const withoutArguments = request.form !== 'script' && (request.args ?? []).length === 0
    if (withoutArguments && report.error.code === 'input.invalid') {
      return err(
        'input.invalid',
        `${request.entry} needs arguments, because ${request.form} graphs record a call.`,
        {
          hint:
            request.file === undefined
              ? `Give arguments, or add a call of ${request.entry} to opsmith.json.`
              : 'Give arguments.',
          detail: report.error.message,
        },
      )
    }
    return report
  }

  /**
   * An archive needs the project's operators only if it uses them: one not built is no obstacle.
   * @returns whether the library is in the op host
   */
  private async loadFor(
    project: ProjectOrFolder,
    forArchive: boolean,
    limits: CallLimits,
  ): Promise<Result<boolean>> {
    const loaded = await this.services.libraries.ensureLoaded(project, limits)
    if (!loaded.ok && forArchive && loaded.error.code === 'build.required') return ok(false)
    return loaded.ok ? ok(true) : loaded
  }

  /** One step of a capture; 0 is the graph as captured. */
  async read(capture: number, step: number): Promise<Result<GraphText>> {
    const found = this.captures.find(capture)
    if (!found.ok) return found
    return await this.services.hosts.call(
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
    limits: CallLimits,
  ): Promise<Result<GraphObservation>> {
    const found = this.captures.find(capture)
    if (!found.ok) return found
    return await this.services.hosts.call(
      'graph.observe',
      { capture: found.value, step, runs },
      { ...limits, phase: 'running the graph' },
    )
  }

  async release(captures: readonly number[]): Promise<Result<{ released: number }>> {
    const alive = this.captures.take(captures)
    if (alive.length === 0) return ok({ released: 0 })
    return await this.services.hosts.call(
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
    const name = `graph-${process.pid}-${randomUUID()}`
    // The op host may not write where the user wants it.
    const written = path.join(hostsFolder(this.services.installation), name)
    const unfinished = path.join(path.dirname(file), `.${name}`)
    const saved = await this.services.hosts.call(
      'graph.save',
      { capture: found.value, path: written },
      { timeout: readTimeout, phase: 'saving the graph' },
    )
    if (!saved.ok) return saved
    try {
      await fs.copyFile(written, unfinished)
      await fs.rename(unfinished, file)
      return ok({ path: file, bytes: saved.value.bytes })
    } catch (error) {
      return ioError(error, `write ${file}`)
    } finally {
      for (const left of [written, unfinished]) await fs.rm(left, { force: true })
    }
  }

  /**
   * What a model file holds and what it needs that is not there; `folder` as in capture. In restricted mode no op
   * host is started: a TorchScript archive is refused, and what an exported program needs is not looked up.
   */
  async openFile(folder: string, file: string, limits: CallLimits): Promise<Result<GraphArchive>> {
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
    if (await this.services.projects.isRestricted(folder)) {
      if (kind.value === 'torchscript') return needsTrust(file)
      const described = await describeExport(file, noOperators)
      return described.ok ? ok({ ...described.value, missing: [] }) : described
    }
    if (folder !== '') {
      const loaded = await this.loadFor(folder, true, limits)
      if (!loaded.ok) return loaded
    }
    if (kind.value === 'torchscript') {
      return await callAgain(
        this.services.hosts,
        'graph.archive',
        { path: file },
        { ...limits, phase: `opening ${path.basename(file)}` },
      )
    }
    const known = await this.knownOperators()
    return known.ok ? await describeExport(file, known.value) : known
  }

  /**
   * The graph of a torch.export archive or of a JSON file.
   * @param entry "" takes the first
   * @param folder the project that is open, "" for none
   */
  async readFile(file: string, entry: string, folder = ''): Promise<Result<GraphText>> {
    const kind = await fileKind(file)
    if (!kind.ok) return kind
    if (kind.value === 'torchscript') {
      return err(
        'input.invalid',
        `${file} is a TorchScript archive, which contains one graph for each method.`,
        {
          hint: 'Capture the graph of one method.',
        },
      )
    }
    if (kind.value === 'graph') {
      const kept = this.opened
      this.opened = undefined
      if (kept?.file === file && kept.changed === (await fs.stat(file)).mtimeMs)
        return ok(kept.text)
      const read = await readGraphFile(file)
      return read.ok ? ok(read.value.text) : read
    }
    const isRestricted = await this.services.projects.isRestricted(folder)
    const known = isRestricted ? ok(noOperators) : await this.knownOperators()
    return known.ok ? await readExport(file, entry, known.value) : known
  }

  private async knownOperators(): Promise<Result<KnownOperators>> {
    const listed = await callAgain(
      this.services.hosts,
      'registry.list',
      {},
      { timeout: readTimeout, phase: '' },
    )
    if (!listed.ok) return listed
    const loaded = this.services.hosts.loadedReport()
    return ok({
      schemas: new Map(listed.value.map((one) => [`${one.name}.${one.overload}`, one.schema])),
      custom: new Set(loaded?.operators.map((one) => `${one.name}.${one.overload}`)),
      classes: new Set(loaded?.classes.map((one) => one.name)),
    })
  }
}
