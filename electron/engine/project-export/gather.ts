import fs from 'node:fs/promises'
import path from 'node:path'

import type { BuildReport } from '../../contract/build'
import type { HostCallName, HostInput, HostOutput } from '../../contract/host-calls'
import type { Argument, InputSpec } from '../../contract/manifest'
import type { LoadReport } from '../../contract/operators'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import { callText } from '../project/call-text'
import { caseOf, nameOf } from '../project/gradcheck-case'
import { callOnLibrary } from '../host/call-on-library'
import type { LibraryInHost } from '../host/call-on-library'
import type { HostPool } from '../host/host-pool'
import { hostsFolder } from '../host/sandbox'
import type { Installation } from '../installation'
import { ioError } from '../project/files'
import type { OpenProject } from '../project/open-project'
import { findAddon } from '../toolchain/addon-location'
import type { Toolchain } from '../toolchain/choose'
import { findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'
import { ElfFile } from './elf'
import type { FileTree } from './file-tree'
import type {
  ExportedProject,
  RecordedCall,
  RecordedGradcheck,
  SavedModel,
  Unrecorded,
} from './exported-project'
import { operatorProgram } from './model-source'
import { exportSources } from './project-sources'

/** What is exported was built and loaded before. */
export interface BuiltProject {
  installation: Installation
  hosts: HostPool
  project: OpenProject
  toolchain: Toolchain
  build: BuildReport
  load: LoadReport
  program: ProgramSource | undefined
}

export interface GatherOptions {
  /** Seconds for a call that has no limit of its own. */
  timeout: number
  signal: AbortSignal | undefined
}

/** Where libtorch and the op libraries are found once they are moved: beside the library. */
export const portableRunPath = '$ORIGIN'

/** Without symbols and lines of debug information, and with a run-path that names no machine. */
async function stripped(file: string, folder: string): Promise<Result<Buffer>> {
  const names = ['strip', 'llvm-strip', ...[21, 20, 19, 18, 17, 16].map((n) => `llvm-strip-${n}`)]
  const tool = names.map(findOnPath).find((found) => found !== undefined)
  if (tool === undefined) {
    return err(
      'toolchain.missing',
      'strip is not installed, but an export needs it to remove symbols from libraries.',
      {
        hint: 'apt-get install binutils',
      },
    )
  }
  const target = path.join(folder, path.basename(file))
  const done = await runProcess(tool, ['--strip-all', '-o', target, file])
  if (done.exitCode !== 0) {
    return err('io', `Could not strip ${path.basename(file)}: ${done.stderr.trim()}`)
  }
  const bytes = await fs.readFile(target)
  try {
    return ok(new ElfFile(bytes).withRunPath(portableRunPath))
  } catch (error) {
    return err('internal', `Opsmith could not set the run path of ${path.basename(file)}.`, {
      detail: String(error),
    })
  }
}

/** The last part of a name, as a file may be called; `taken` gets it. */
function fileName(op: string, taken: Set<string>): string {
  const plain = (text: string): string => text.replace(/\W+/g, '_').replace(/^_+|_+$/g, '')
  const short = plain(op.split('::').at(-1) ?? op)
  const name = taken.has(short) ? plain(op) : short
  taken.add(name)
  return name
}

/** Gradchecks draw floating and complex inputs anew in the dtype they ask for. */
function inDtype(
  inputs: Readonly<Record<string, InputSpec>>,
  dtype: InputSpec['dtype'] | undefined,
): Record<string, InputSpec> {
  const changes = (spec: InputSpec): boolean => /^(b?float|complex)/.test(spec.dtype)
  return Object.fromEntries(
    Object.entries(inputs).map(([name, spec]) => [
      name,
      dtype !== undefined && changes(spec) ? { ...spec, dtype } : spec,
    ]),
  )
}

interface RecordedRequest {
  op: string
  args: Argument[]
  inputs: Readonly<Record<string, InputSpec>>
  /** Whether the call is made and its results are recorded, or its inputs alone are. */
  makeCall: boolean
  /** Seconds; undefined takes that of the options. */
  timeout: number | undefined
}

class Recorder {
  readonly unrecorded: Unrecorded[] = []

  constructor(
    private readonly built: BuiltProject,
    private readonly folder: string,
    private readonly options: GatherOptions,
  ) {}

  private async ask<N extends HostCallName>(
    name: N,
    input: HostInput<N>,
    phase: string,
    timeout = this.options.timeout,
  ): Promise<Result<HostOutput<N>>> {
    const { signal } = this.options
    const { hosts, build } = this.built
    // What is exported is this build, whatever was built since.
    const library: LibraryInHost = {
      hosts,
      loadPath: () => build.loadPath,
      load: (limits) => hosts.load(build.loadPath, limits),
    }
    const options = { timeout, phase, ...(signal && { signal }) }
    return await callOnLibrary(library, name, input, options)
  }

  private program(): { program?: ProgramSource } {
    const { program, project } = this.built
    // A name without a folder: archives keep what it is called.
    return program
      ? { program: { file: path.basename(project.manifest.program ?? ''), source: program.source } }
      : {}
  }

  private async record(
    name: string,
    { op, args, inputs, makeCall, timeout }: RecordedRequest,
  ): Promise<Result<Pick<RecordedCall, 'archive' | 'tensors' | 'written'>>> {
    const target = path.join(this.folder, name)
    const request = { op, args, inputs: { ...inputs }, ...this.program() }
    const done = await this.ask(
      'operator.record',
      { request, path: target, makeCall },
      `call ${op}`,
      timeout,
    )
    if (!done.ok) return done
    const { written } = done.value
    return ok({
      ...(written && { written }),
      archive: await fs.readFile(`${target}.pt`),
      tensors: await fs.readFile(`${target}.safetensors`),
    })
  }

  private note(what: string, { error }: { error: WorkbenchError }): void {
    const reason = `${what}: ${error.message.split('\n')[0] ?? ''}`
    // A device that is not here is no fault of the project's.
    this.unrecorded.push({ reason, isFault: error.code !== 'device.unavailable' })
  }

  async calls(): Promise<Result<RecordedCall[]>> {
    const { manifest } = this.built.project
    const recorded: RecordedCall[] = []
    for (const [index, call] of manifest.calls.entries()) {
      const name = `call-${index + 1}-${fileName(call.op, new Set())}`
      const text = callText(call.op, call.args)
      const made = await this.record(name, {
        op: call.op,
        args: call.args,
        inputs: manifest.inputs,
        makeCall: true,
        timeout: call.timeout,
      })
      if (!made.ok && made.error.code === 'cancelled') return made
      if (!made.ok) this.note(text, made)
      else recorded.push({ name, call, text, isOperator: call.op.includes('::'), ...made.value })
    }
    return ok(recorded)
  }

  async gradchecks(): Promise<Result<RecordedGradcheck[]>> {
    const { manifest } = this.built.project
    const recorded: RecordedGradcheck[] = []
    for (const [index, entry] of manifest.gradchecks.entries()) {
      const name = `gradcheck-${index + 1}-${fileName(entry.op, new Set())}`
      const { inputs } = caseOf(entry, manifest)
      const made = await this.record(name, {
        op: entry.op,
        args: entry.args,
        inputs: inDtype(inputs, entry.dtype),
        makeCall: false,
        timeout: entry.timeout,
      })
      if (!made.ok && made.error.code === 'cancelled') return made
      if (!made.ok) this.note(`gradcheck ${nameOf(entry)}`, made)
      else recorded.push({ name, entry, text: nameOf(entry), archive: made.value.archive })
    }
    return ok(recorded)
  }

  /** A function of the program, or a function made for an operator. */
  private captureOf(op: string): { entry: string; program?: ProgramSource } | undefined {
    if (!op.includes('::')) return { entry: op, ...this.program() }
    const [name = '', overload = ''] = op.split('.')
    const operator = this.built.load.operators.find(
      (one) => one.name === name && one.overload === overload,
    )
    return operator && operatorProgram(operator)
  }

  /** Each operator and function that is called, as a model of its own. */
  async models(): Promise<Result<SavedModel[]>> {
    const { manifest } = this.built.project
    const models: SavedModel[] = []
    const taken = new Set<string>()
    for (const op of new Set(manifest.calls.map((call) => call.op))) {
      const asked = this.captureOf(op)
      if (asked === undefined) {
        const reason = `no model of ${op} was saved: the library does not register ${op}, or TorchScript has no name for the type of an argument`
        this.unrecorded.push({ reason, isFault: false })
        continue
      }
      const request = { ...asked, form: 'script' as const, passes: [], inputs: {} }
      const captured = await this.ask('graph.capture', request, `capture ${op}`)
      if (!captured.ok && captured.error.code === 'cancelled') return captured
      if (!captured.ok) {
        this.note(`model of ${op}`, captured)
        continue
      }
      const name = fileName(op, taken)
      const target = path.join(this.folder, `${name}.pt`)
      const { capture } = captured.value
      const saved = await this.ask('graph.save', { capture, path: target }, `save ${op}`)
      await this.ask('graph.release', { captures: [capture] }, '')
      if (!saved.ok) this.note(`model of ${op}`, saved)
      else models.push({ name, op, archive: await fs.readFile(target) })
    }
    return ok(models)
  }
}

const licenceNames = /^(licen[cs]e|copying|notice)(\.(md|txt|rst))?$/i

async function licencesIn(folder: string): Promise<FileTree> {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  const names = entries.filter((one) => one.isFile() && licenceNames.test(one.name))
  const read = async (name: string): Promise<[string, Buffer]> => [
    name,
    await fs.readFile(path.join(folder, name)),
  ]
  return new Map(await Promise.all(names.map(({ name }) => read(name))))
}

/** Everything that exports are made of, read, compiled and recorded; nothing is written but to a folder of its own that goes again. */
export async function gather(
  built: BuiltProject,
  options: GatherOptions,
): Promise<Result<ExportedProject>> {
  const { installation, project, toolchain, build, load, program } = built
  const { folder, manifest } = project
  const sources = await exportSources(installation, project)
  if (!sources.ok) return sources
  let temporary: string
  try {
    temporary = await fs.mkdtemp(path.join(hostsFolder(installation), `export-${process.pid}-`))
  } catch (error) {
    return ioError(error, `make a folder in ${hostsFolder(installation)}`)
  }
  try {
    const recorder = new Recorder(built, temporary, options)
    const calls = await recorder.calls()
    if (!calls.ok) return calls
    const gradchecks = await recorder.gradchecks()
    if (!gradchecks.ok) return gradchecks
    const models = await recorder.models()
    if (!models.ok) return models
    const library = await stripped(build.loadPath, temporary)
    if (!library.ok) return library
    const addonFolder = findAddon(installation, toolchain.libtorch)
    const addon = addonFolder.ok
      ? await stripped(path.join(addonFolder.value, 'operator_addon.node'), temporary)
      : undefined
    if (addon?.ok === false) return addon
    return ok({
      folder,
      manifest,
      toolchain,
      name: manifest.name,
      sources: sources.value,
      operators: load.operators,
      classes: load.classes,
      calls: calls.value,
      gradchecks: gradchecks.value,
      models: models.value,
      program: program?.source ?? '',
      licences: await licencesIn(folder),
      library: library.value,
      addon: addon?.ok ? addon.value : undefined,
      addonHint: addonFolder.ok ? undefined : addonFolder.error.hint,
      unrecorded: recorder.unrecorded,
    })
  } catch (error) {
    return ioError(error, `write to ${temporary}`)
  } finally {
    await fs.rm(temporary, { recursive: true, force: true })
  }
}
