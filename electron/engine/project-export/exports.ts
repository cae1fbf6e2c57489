import os from 'node:os'
import path from 'node:path'

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
import type { BuildReport } from '../../contract/build'
import type { LoadReport } from '../../contract/operators'
import { err, ok } from '../../contract/outcome'
import type { Result, WorkbenchError } from '../../contract/outcome'
import { firstError } from '../builds/builds'
import type { Builds } from '../builds/builds'
import type { Libraries } from '../builds/libraries'
import type { HostPool } from '../host/host-pool'
import type { Installation } from '../installation'
import type { OpenProject, Projects } from '../project/open-project'
import type { Toolchain } from '../toolchain/choose'
import { readAbi } from './abi'
import type { ExportedProject } from './exported-project'
import { joinTrees } from './file-tree'
import type { FileTree } from './file-tree'
import { formsNamed } from './all-forms'
import type { Form } from './form'
import { formChoices } from './form-choices'
import { gather } from './gather'
import { Proof } from './proof/proof'
import { findProofTools } from './proof/tools'
import type { ProofTools } from './proof/tools'
import { readWheelPythons, wheelFolder } from './wheel-pythons'
import type { WheelPython } from './wheel-pythons'
import { diffTree, exportedFiles, writeTree } from './write-export'

interface ExportServices {
  installation: Installation
  projects: Projects
  builds: Builds
  libraries: Libraries
  hosts: HostPool
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

type ShowProgress = (running: string, step?: ExportStep) => void

/** How one form of an export is made. */
interface FormRun {
  request: ExportRequest
  /** Those that the request names. */
  pythons: readonly WheelPython[]
  options: ExportOptions
  showProgress: ShowProgress
}

interface WrittenForm {
  project: ExportedProject
  form: Form
  directory: string
  files: string[]
}

/** A proof without a Python of its own has the one that was found for the project. */
interface ProofRun extends Pick<FormRun, 'options' | 'showProgress'> {
  python?: WheelPython
}

function failedForm(form: ExportForm, error: WorkbenchError): FormReport {
  return { form, ok: false, directory: '', steps: [], files: [], products: [], error }
}

/** A form's files, and the project's licence beside them. */
function filesOf(
  form: Form,
  { project, abi }: Pick<Prepared, 'project' | 'abi'>,
): Result<FileTree> {
  const tree = form.files(project, abi)
  return tree.ok ? ok(joinTrees(tree.value, project.licences)) : tree
}

/** The Pythons that a request names; an error if none of its forms has a wheel for each torch. */
async function wantedPythons(
  { pythons }: ExportRequest,
  forms: readonly Form[],
): Promise<Result<readonly WheelPython[]>> {
  if (pythons.length > 0 && !forms.some(({ wheelPerTorch }) => wheelPerTorch))
    return err('request.invalid', 'No form of this export builds a wheel for each torch.', {
      hint: 'Choose the form setuptools, or name no Python.',
    })
  return await readWheelPythons(pythons)
}

/** Exports of a project: which are possible, what they would change, and making them with their proof. */
export class Exports {
  /** Of the toolchain that forms() was last asked with. */
  private known: { libtorch: string; tools: Promise<ProofTools> } | undefined

  constructor(private readonly services: ExportServices) {}

  /** The tools of this machine may be others now: forms() looks for them again. */
  forgetTools(): void {
    this.known = undefined
  }

  /** Looked for once: that starts every Python there is, and an edit of a source changes none of them. */
  private async knownTools(toolchain: Toolchain): Promise<ProofTools> {
    const libtorch = toolchain.libtorch.identity
    if (this.known?.libtorch !== libtorch) {
      const tools = findProofTools(this.services.installation, toolchain)
      this.known = { libtorch, tools }
    }
    return await this.known.tools
  }

  async forms(folder: string): Promise<Result<FormChoice[]>> {
    const { installation, projects } = this.services
    const project = await projects.open(folder)
    if (!project.ok) return project
    const toolchain = await project.value.toolchain()
    if (!toolchain.ok) return toolchain
    const tools = await this.knownTools(toolchain.value)
    return await formChoices(installation, project.value, tools)
  }

  /** Builds, loads and records: what every form is made of. */
  private async prepare(folder: string, options: ExportOptions): Promise<Result<Prepared>> {
    const { projects, builds, libraries, hosts } = this.services
    const opened = await projects.open(folder)
    if (!opened.ok) return opened
    const chosen = await opened.value.toolchain()
    if (!chosen.ok) return chosen
    const { signal } = options
    const stopped = signal && { signal }
    if (!chosen.value.virtualGpu) {
      const build = await builds.build(opened.value, { ...stopped })
      const load = (): Promise<Result<LoadReport>> =>
        libraries.load(opened.value, { timeout: opened.value.settings.callTimeout, ...stopped })
      return await this.gatherFrom({ project: opened.value, build, hosts, load }, options)
    }
    // Users have GPUs or none: code for the virtual one is not for them.
    const project = opened.value.withoutVirtualGpu()
    const build = await builds.buildApart(project, { ...stopped })
    const beside = await libraries.openHostsBeside(project, { OPSMITH_VIRTUAL_DEVICE: '' })
    if (!beside.ok) return beside
    const library = build.ok ? build.value.loadPath : ''
    const load = (): Promise<Result<LoadReport>> =>
      beside.value.load(library, { timeout: project.settings.callTimeout, ...stopped })
    try {
      return await this.gatherFrom({ project, build, hosts: beside.value, load }, options)
    } finally {
      await beside.value.close()
    }
  }

  private async gatherFrom(
    from: {
      project: OpenProject
      build: Result<BuildReport>
      hosts: HostPool
      load: () => Promise<Result<LoadReport>>
    },
    { signal }: ExportOptions,
  ): Promise<Result<Prepared>> {
    const { installation } = this.services
    const { project: source, build, hosts } = from
    const toolchain = await source.toolchain()
    if (!toolchain.ok) return toolchain
    if (!build.ok) return build
    if (!build.value.ok) {
      const first = firstError(build.value)
      return err('build.required', `The project does not build: ${first?.message ?? ''}`, {
        hint: 'Nothing was exported. Fix the error, then export again.',
        ...(first && first.file !== '' ? { file: first.file, line: first.line } : {}),
      })
    }
    const load = await from.load()
    if (!load.ok) return load
    const program = await source.program()
    if (!program.ok) return program
    const project = await gather(
      {
        installation,
        hosts,
        project: source,
        build: build.value,
        load: load.value,
        toolchain: toolchain.value,
        program: program.value,
      },
      { timeout: source.settings.callTimeout, signal },
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
    const wanted = formsNamed(request.forms)
    if (!wanted.ok) return wanted
    const prepared = await this.prepare(folder, options)
    if (!prepared.ok) return prepared
    const diffs: FormDiff[] = []
    for (const form of wanted.value) {
      const { id } = form
      const directory = path.join(request.directory, id)
      const tree = filesOf(form, prepared.value)
      const diff = tree.ok ? await diffTree(directory, tree.value) : tree
      diffs.push(
        diff.ok
          ? { form: id, directory, ...diff.value }
          : { form: id, directory, exists: false, files: [], error: diff.error },
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
    const named = formsNamed(request.forms)
    if (!named.ok) return named
    const wanted = named.value
    const pythons = await wantedPythons(request, wanted)
    if (!pythons.ok) return pythons
    const prepared = await this.prepare(folder, options)
    if (!prepared.ok) return prepared
    const reports: FormReport[] = []
    let next = 0
    let done = 0
    const worker = async (): Promise<void> => {
      for (let index = next; index < wanted.length; index = next) {
        next = index + 1
        const form = wanted[index]
        if (form === undefined || options.signal?.aborted) return
        const showProgress: ShowProgress = (running, step) => {
          options.onProgress?.({
            form: form.id,
            done,
            total: wanted.length,
            running,
            ...(step && { step }),
          })
        }
        const report = await this.runForm(prepared.value, form, {
          request,
          pythons: pythons.value,
          options,
          showProgress,
        })
        reports[index] = report
        done += 1
        // One that was ended is no outcome.
        if (options.signal?.aborted) return
        options.onProgress?.({ form: form.id, done, total: wanted.length, running: '', report })
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

  /**
   * Builds and tests the wheel of a form for one Python, from the files that were exported to `directory`; the wheel
   * goes to them.
   */
  async proveWheel(
    folder: string,
    wheel: { form: ExportForm; python: WheelPython; directory: string },
    options: ExportOptions,
  ): Promise<Result<FormReport>> {
    const named = formsNamed([wheel.form])
    if (!named.ok) return named
    const prepared = await this.prepare(folder, options)
    if (!prepared.ok) return prepared
    const { project, tools } = prepared.value
    const [form] = named.value
    const tree = form && filesOf(form, prepared.value)
    if (tree?.ok === false) return tree
    if (!form || !tree) return err('internal', 'There is no form, because of a bug in Opsmith.')
    const directory = path.join(wheel.directory, form.id)
    const files = await exportedFiles(directory)
    if (!files.ok) return files
    const { python } = wheel
    const showProgress = (): void => undefined
    const written = { project, form, directory, files: files.value }
    const proven = await this.prove(written, tools, { options, showProgress, python })
    if (options.signal?.aborted) return err('cancelled', 'The export was stopped.')
    // A call on a device that the exporting machine does not have, say: its test is not in the export.
    const missing = [...tree.value.keys()].filter((file) => !files.value.includes(file))
    if (missing.length > 0)
      proven.steps.push({
        name: 'compare with the project',
        status: 'skipped',
        reason: `The export does not have ${missing.join(', ')}, which an export on this node has. If the project changed, export again.`,
        seconds: 0,
        log: '',
      })
    const isProven = proven.steps.every((step) => step.status !== 'failed')
    return ok({ form: form.id, directory, files: files.value, ok: isProven, ...proven })
  }

  private async runForm(
    { project, abi, tools }: Prepared,
    form: Form,
    { request, pythons, options, showProgress }: FormRun,
  ): Promise<FormReport> {
    const directory = path.join(request.directory, form.id)
    const started = performance.now()
    showProgress('write')
    const tree = filesOf(form, { project, abi })
    if (!tree.ok) return failedForm(form.id, tree.error)
    const names = { project: project.name, form: form.id }
    const written = await writeTree(directory, tree.value, names, request.decisions)
    if (!written.ok) return failedForm(form.id, written.error)
    const write: ExportStep = {
      name: 'write',
      status: 'ok',
      reason: '',
      log: written.value.log,
      seconds: (performance.now() - started) / 1000,
    }
    showProgress('', write)
    const files = [...tree.value.keys()].sort()
    const steps = [write]
    const products: string[] = []
    if (request.proof) {
      const proofs: ProofRun[] =
        form.wheelPerTorch && pythons.length > 0
          ? pythons.map((python) => ({ options, showProgress, python }))
          : [{ options, showProgress }]
      for (const proof of proofs) {
        if (options.signal?.aborted) break
        const proven = await this.prove({ project, form, directory, files }, tools, proof)
        steps.push(...proven.steps)
        products.push(...proven.products)
      }
    } else {
      const reason = 'the proof was not requested'
      steps.push({ name: 'proof', status: 'skipped', reason, seconds: 0, log: '' })
    }
    return {
      form: form.id,
      directory,
      steps,
      files,
      products,
      ok: steps.every((step) => step.status !== 'failed'),
      ...(tree.value.has(abi.library) ? { abi } : {}),
    }
  }

  private async prove(
    { project, form, directory, files }: WrittenForm,
    tools: ProofTools,
    { options, showProgress, python }: ProofRun,
  ): Promise<Pick<FormReport, 'steps' | 'products'>> {
    const nameOf = (step: string): string => (python ? `${step} (torch ${python.torch})` : step)
    const named = (step: ExportStep): ExportStep => ({ ...step, name: nameOf(step.name) })
    const proof = new Proof(
      project,
      python ? { ...tools, python: { path: python.python, problem: '' } } : tools,
      {
        onStart: (name) => {
          showProgress(nameOf(name))
        },
        onStep: (step) => {
          showProgress('', named(step))
        },
        onOutput: (name, text) => options.onOutput?.(form.id, nameOf(name), text),
      },
      options.signal,
    )
    let products: string[] = []
    try {
      await proof.open(directory, files)
      await form.prove(proof, files)
      for (const { reason, isFault } of project.unrecorded) {
        if (isFault) proof.fail('record', reason)
        else proof.skip('record', reason)
      }
      products = await proof.deliver(directory, python ? wheelFolder(python) : '')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const step: ExportStep = { name: 'proof', status: 'failed', reason, seconds: 0, log: '' }
      proof.steps.push(step)
      showProgress('', named(step))
    } finally {
      await proof.close()
    }
    return { steps: proof.steps.map(named), products }
  }
}
