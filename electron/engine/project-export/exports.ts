import os from 'node:os'
import path from 'node:path'

import type { BuildReport } from '../../contract/build'
import type {
  AbiReport,
  ExportForm,
  ExportReport,
  ExportRequest,
  ExportStep,
  FormChoice,
  FormDiff,
  FormReport,
} from '../../contract/export'
import type { Manifest } from '../../contract/manifest'
import type { LoadReport } from '../../contract/operators'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import type { ProgramSource } from '../../contract/run'
import type { BuildOptions } from '../compile/build'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import { readManifest } from '../project/read-manifest'
import { readSettings } from '../project/settings-file'
import type { Toolchain } from '../toolchain/choose'
import { readAbi } from './abi'
import type { ExportedProject } from './exported-project'
import { joinTrees } from './file-tree'
import type { FileTree } from './file-tree'
import { formChoices } from './form-choices'
import { forms } from './forms'
import { gather } from './gather'
import { Proof } from './proof/proof'
import { findProofTools } from './proof/tools'
import type { ProofTools } from './proof/tools'
import { diffTree, writeTree } from './write-export'

/** What exports need of the workbench. */
interface ExportSurroundings {
  readonly installation: Installation
  readonly hosts: HostPool
  build(folder: string, options?: BuildOptions): Promise<Result<BuildReport>>
  load(
    folder: string,
    options: { timeout: number; signal?: AbortSignal },
  ): Promise<Result<LoadReport>>
  program(folder: string): Promise<Result<ProgramSource | undefined>>
  toolchainFor(manifest: Manifest | undefined): Promise<Result<Toolchain>>
}

export interface ExportOptions {
  signal?: AbortSignal
  onProgress?: (progress: {
    form: ExportForm
    done: number
    total: number
    running: string
    step?: ExportStep
    report?: FormReport
  }) => void
  onOutput?: (form: ExportForm, step: string, text: string) => void
}

interface Prepared {
  project: ExportedProject
  abi: AbiReport
  tools: ProofTools
}

type Tell = (running: string, step?: ExportStep) => void

function failedForm(form: ExportForm, error: WorkbenchError): FormReport {
  return { form, ok: false, directory: '', steps: [], files: [], error }
}

/** A form's files, and the project's licence beside them. */
function filesOf(
  form: ExportForm,
  { project, abi }: Pick<Prepared, 'project' | 'abi'>,
): Result<FileTree> {
  const tree = forms[form].files(project, abi)
  return tree.ok ? ok(joinTrees(tree.value, project.licences)) : tree
}

/** Exports of a project: which are possible, what they would change, and making them with their proof. */
export class Exports {
  constructor(private readonly around: ExportSurroundings) {}

  async forms(folder: string): Promise<Result<FormChoice[]>> {
    const manifest = await readManifest(path.resolve(folder))
    if (!manifest.ok) return manifest
    const toolchain = await this.around.toolchainFor(manifest.value)
    if (!toolchain.ok) return toolchain
    const { installation } = this.around
    const tools = await findProofTools(installation, toolchain.value)
    return await formChoices(installation, path.resolve(folder), manifest.value, tools)
  }

  /** Builds, loads and records: what every form is made of. */
  private async prepare(folder: string, options: ExportOptions): Promise<Result<Prepared>> {
    const manifest = await readManifest(folder)
    if (!manifest.ok) return manifest
    const toolchain = await this.around.toolchainFor(manifest.value)
    if (!toolchain.ok) return toolchain
    const { signal } = options
    const build = await this.around.build(folder, { ...(signal && { signal }) })
    if (!build.ok) return build
    if (!build.value.ok) {
      const first = build.value.diagnostics.find((one) => one.severity === 'error')
      return err('build.required', `The project does not build: ${first?.message ?? ''}`, {
        hint: 'Mend it first; nothing was exported.',
        ...(first && first.file !== '' ? { file: first.file, line: first.line } : {}),
      })
    }
    const { installation, hosts } = this.around
    const timeout = (await readSettings(installation.cacheFolder)).callTimeout
    const load = await this.around.load(folder, { timeout, ...(signal && { signal }) })
    if (!load.ok) return load
    const program = await this.around.program(folder)
    if (!program.ok) return program
    const project = await gather(
      {
        installation,
        hosts,
        folder,
        build: build.value,
        load: load.value,
        manifest: manifest.value,
        toolchain: toolchain.value,
        program: program.value,
      },
      { timeout, signal },
    )
    if (!project.ok) return project
    const { library, name } = project.value
    const abi = await readAbi(library, `lib${name}.so`, toolchain.value)
    const tools = await findProofTools(installation, toolchain.value)
    return ok({ project: project.value, abi, tools })
  }

  /** What an export of these forms would change in `directory`; an error of one form is its own. */
  async diff(
    folder: string,
    request: Pick<ExportRequest, 'forms' | 'directory'>,
    options: ExportOptions,
  ): Promise<Result<FormDiff[]>> {
    const prepared = await this.prepare(path.resolve(folder), options)
    if (!prepared.ok) return prepared
    const diffs: FormDiff[] = []
    for (const form of new Set(request.forms)) {
      const directory = path.join(request.directory, form)
      const tree = filesOf(form, prepared.value)
      const diff = tree.ok ? await diffTree(directory, tree.value) : tree
      diffs.push(
        diff.ok
          ? { form, directory, ...diff.value }
          : { form, directory, exists: false, files: [], error: diff.error },
      )
    }
    return ok(diffs)
  }

  /**
   * Writes each form into a folder of its name and proves it. A form that cannot be written or proven
   * is an outcome; an error comes back where nothing could be tried.
   */
  async run(
    folder: string,
    request: ExportRequest,
    options: ExportOptions,
  ): Promise<Result<ExportReport>> {
    const started = performance.now()
    const prepared = await this.prepare(path.resolve(folder), options)
    if (!prepared.ok) return prepared
    const wanted = [...new Set(request.forms)]
    const reports: FormReport[] = []
    let next = 0
    let done = 0
    const worker = async (): Promise<void> => {
      for (let index = next; index < wanted.length; index = next) {
        next = index + 1
        const form = wanted[index]
        if (form === undefined || options.signal?.aborted) return
        const tell: Tell = (running, step) => {
          options.onProgress?.({
            form,
            done,
            total: wanted.length,
            running,
            ...(step && { step }),
          })
        }
        const report = await this.runForm(prepared.value, form, request, options, tell)
        reports[index] = report
        done += 1
        // One that was ended is no outcome.
        if (options.signal?.aborted) return
        options.onProgress?.({ form, done, total: wanted.length, running: '', report })
      }
    }
    // A compiler that waits for its disk leaves a core free; more than two need more memory than it is worth.
    await Promise.all(Array.from({ length: Math.min(2, os.cpus().length) }, worker))
    if (options.signal?.aborted) return err('cancelled', 'The export was stopped.')
    return ok({
      ok: reports.every((report) => report.ok),
      seconds: (performance.now() - started) / 1000,
      forms: reports,
    })
  }

  private async runForm(
    { project, abi, tools }: Prepared,
    form: ExportForm,
    request: ExportRequest,
    options: ExportOptions,
    tell: Tell,
  ): Promise<FormReport> {
    const directory = path.join(request.directory, form)
    const started = performance.now()
    tell('write')
    const tree = filesOf(form, { project, abi })
    if (!tree.ok) return failedForm(form, tree.error)
    const names = { project: project.name, form }
    const written = await writeTree(directory, tree.value, names, request.decisions)
    if (!written.ok) return failedForm(form, written.error)
    const write: ExportStep = {
      name: 'write',
      status: 'ok',
      reason: '',
      log: written.value.log,
      seconds: (performance.now() - started) / 1000,
    }
    tell('', write)
    const files = [...tree.value.keys()].sort()
    const steps = [write]
    if (request.proof) {
      steps.push(...(await this.prove(project, tools, form, directory, tree.value, options, tell)))
    } else {
      const reason = 'not asked for'
      steps.push({ name: 'proof', status: 'skipped', reason, seconds: 0, log: '' })
    }
    return {
      form,
      directory,
      steps,
      files,
      ok: steps.every((step) => step.status !== 'failed'),
      ...(tree.value.has(abi.library) ? { abi } : {}),
    }
  }

  private async prove(
    project: ExportedProject,
    tools: ProofTools,
    form: ExportForm,
    directory: string,
    tree: FileTree,
    options: ExportOptions,
    tell: Tell,
  ): Promise<ExportStep[]> {
    const proof = new Proof(
      project,
      tools,
      {
        onStart: (name) => {
          tell(name)
        },
        onStep: (step) => {
          tell('', step)
        },
        onOutput: (name, text) => options.onOutput?.(form, name, text),
      },
      options.signal,
    )
    try {
      const files = [...tree.keys()]
      await proof.open(directory, files)
      await forms[form].prove(proof, files)
      for (const { reason, isFault } of project.unrecorded) {
        if (isFault) proof.fail('record', reason)
        else proof.skip('record', reason)
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const step: ExportStep = { name: 'proof', status: 'failed', reason, seconds: 0, log: '' }
      proof.steps.push(step)
      tell('', step)
    } finally {
      await proof.close()
    }
    return proof.steps
  }
}
