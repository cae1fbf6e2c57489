import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { SetupPlan, SetupReport, SetupStep } from '../../contract/setup'
import type { HeaderPreparation } from '../builds/header-preparation'
import { compileTools } from '../compile/compile-tools'
import { findClangLibraries } from '../compile/hot/clang-libraries'
import { prepareTools } from '../compile/prepare'
import { listFiles } from '../compile/sealed-files'
import { isClone, setupEnvironmentFile } from '../installation'
import type { Installation } from '../installation'
import { writeAtomically } from '../project/files'
import type { Projects } from '../project/open-project'
import { chooseCompiler, chosenTools } from '../toolchain/choose'
import type { Compiler } from '../toolchain/compilers'
import { launcherOf } from '../toolchain/addon-location'
import { findCudaToolkit } from '../toolchain/cuda'
import { askPython } from '../toolchain/ask-python'
import { describeLibtorch } from '../toolchain/libtorch'
import type { Libtorch } from '../toolchain/libtorch'
import { chooseTorch } from './cuda-torch'
import { findLibtorch, installedLibtorch } from './find-libtorch'
import { installTorch, torchVersion } from './install-torch'
import { buildAddon, findBuiltAddon } from './native-addon'
import { ownTorchFolder, planSetup } from './plan'
import { toolRunner } from './run-tool'
import type { RunTool } from './run-tool'
import { withSetupLock } from './setup-lock'
import { missingNeeds } from './system-needs'

/** What a compiler takes that precompiles all of libtorch's headers. */
const bytesPerCompiler = 2 * 2 ** 30

export interface SetupRequest {
  /** The folder of the libtorch to use; "" to look for one. */
  libtorch: string
  /** Install torch for CUDA, where no other is found, without asking which. */
  cuda: boolean
  /** Install torch also where a libtorch is found. */
  mustInstall?: boolean
  /** Whether torch may be installed, where no libtorch was found. */
  mayInstall: (question: string) => Promise<boolean>
  /** Asks the user; undefined where there is nobody to ask. */
  ask: (question: string) => Promise<boolean | undefined>
  signal: AbortSignal
  /** Called before a step that takes long. */
  onStart: (text: string) => void
  onStep: (step: SetupStep) => void
  onRemark: (text: string) => void
  /** What compilers and pip print, as it comes. */
  onOutput?: (text: string) => void
}

interface Tools {
  libtorch: Libtorch
  compiler: Compiler
}

function sizeOf(folder: string): number {
  if (!fs.existsSync(folder)) return 0
  const sizes = listFiles(folder).map((name) => fs.lstatSync(path.join(folder, name)).size)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The interpreter of the environment that a libtorch is in; "" where it is in none. */
async function pythonOf({ folder }: Libtorch): Promise<string> {
  const python = path.resolve(folder, '../../../../bin/python3')
  const torch = fs.existsSync(python) ? ((await askPython(python))?.torchFolder ?? '') : ''
  const isSame = torch !== '' && fs.realpathSync(torch) === fs.realpathSync(folder)
  return isSame ? python : ''
}

/** One run of set-up. */
class SetupRun {
  readonly steps: SetupStep[] = []
  private readonly runTool: RunTool

  constructor(
    private readonly services: { installation: Installation; projects: Projects },
    private readonly request: SetupRequest,
  ) {
    this.runTool = toolRunner(request.signal, request.onOutput)
  }

  /** The steps in their order. What is there already is not made again. */
  async run(): Promise<Result<SetupReport>> {
    const { installation, projects } = this.services
    const settings = await projects.settings()
    const libtorch = await this.libtorch(settings.libtorch)
    if (!libtorch.ok) return libtorch
    const needs = await this.checkNeeds(false)
    if (!needs.ok) return needs
    const compiler = await chooseCompiler(settings.compiler, '')
    if (!compiler.ok) return compiler
    const tools = { libtorch: libtorch.value, compiler: compiler.value }
    this.remarkOn(compiler.value)
    const addon = await this.addon(tools)
    if (!addon.ok) return addon
    const { folder, version } = tools.libtorch
    const environment = {
      libtorch: folder,
      libtorchVersion: version,
      python: await pythonOf(tools.libtorch),
      compiler: tools.compiler.path,
      addon: addon.value,
    }
    // A clone's is written by its own set-up.
    if (!isClone(installation.root)) {
      const file = setupEnvironmentFile(installation.root, installation.cacheFolder)
      await writeAtomically(file, `${JSON.stringify(environment, null, 2)}\n`)
    }
    // A window that is open uses it from now on.
    installation.addonFolder = addon.value
    const headers = await this.headers({
      ...tools,
      cuda: await findCudaToolkit(launcherOf(installation)),
      virtualGpu: undefined,
      options: chosenTools(settings, undefined).options,
    })
    if (!headers.ok) return headers
    return ok({
      libtorch: folder,
      libtorchVersion: version,
      compiler: tools.compiler.path,
      addon: addon.value,
      steps: this.steps,
    })
  }

  private add(step: SetupStep): void {
    this.steps.push(step)
    this.request.onStep(step)
  }

  private stopped(): Result<never> | undefined {
    return this.request.signal.aborted
      ? err('cancelled', 'Set-up was stopped. Start set-up again to continue.')
      : undefined
  }

  private remarkOn(compiler: Compiler): void {
    if (compiler.why !== '') this.request.onRemark(`${compiler.path} ${compiler.why}`)
    const { found, why, remedy } = findClangLibraries(compiler)
    if (!found) {
      this.request.onRemark(
        `there is no compile server, because ${why}. Without a compile server, a build after an edit takes a second or more. To get the compile server: ${remedy}`,
      )
    }
  }

  private async checkNeeds(installsTorch: boolean): Promise<Result<null>> {
    const { names, command } = await missingNeeds(installsTorch)
    if (names.length === 0) return ok(null)
    return err('toolchain.missing', `Not installed: ${names.join(', ')}.`, {
      hint:
        command === ''
          ? "Install what is missing with this system's package manager, then run set-up again."
          : `Run \`${command}\`, then run set-up again.`,
    })
  }

  private named(folder: string): Result<Libtorch> {
    const libtorch = describeLibtorch(folder, '--libtorch')
    if (!libtorch)
      return err('toolchain.missing', `${folder} has no lib/libtorch_cpu.so.`, {
        hint: 'Choose the folder of libtorch, which contains include/ and lib/.',
      })
    return libtorch.judgement === 'unusable'
      ? err('toolchain.mismatch', `${folder} cannot be used: ${libtorch.why}.`, {
          hint: libtorch.remedy,
        })
      : ok(libtorch)
  }

  private async libtorch(chosen: string): Promise<Result<Libtorch>> {
    const started = performance.now()
    const { cacheFolder } = this.services.installation
    const own = ownTorchFolder(cacheFolder)
    const found = await this.findOrInstall(chosen, own)
    if (!found.ok) return found
    const { libtorch, isMade } = found.value
    this.add({
      name: 'libtorch',
      isMade,
      seconds: (performance.now() - started) / 1000,
      bytes: isMade ? sizeOf(own) : 0,
      detail: `${libtorch.version}, ${libtorch.folder}`,
    })
    return ok(libtorch)
  }

  private async findOrInstall(
    chosen: string,
    own: string,
  ): Promise<Result<{ libtorch: Libtorch; isMade: boolean }>> {
    const { libtorch: name, cuda: isCudaWanted, ask, mayInstall, onRemark, onStart } = this.request
    const { mustInstall } = this.request
    if (name !== '') {
      const named = this.named(name)
      return named.ok ? ok({ libtorch: named.value, isMade: false }) : named
    }
    const search = { chosen, own }
    if (mustInstall !== true) {
      const first = await findLibtorch(search)
      if (first.found) return ok({ libtorch: first.found, isMade: false })
      for (const line of first.refused) onRemark(line)
    }
    const asked = { command: 'opsmith setup --cuda', onRemark }
    const cuda = await chooseTorch(isCudaWanted, ask, asked)
    const question = `Opsmith found no libtorch that it can use. Install torch ${torchVersion} for the CPU in ${own} (200 MB to download, 800 MB on the disk)?`
    if (cuda === '' && !(await mayInstall(question))) {
      return err(
        'toolchain.missing',
        'Opsmith found no libtorch that it can use, and installed none.',
        {
          hint: 'Choose a libtorch with --libtorch FOLDER, or add --yes so that Opsmith installs torch.',
        },
      )
    }
    const needs = await this.checkNeeds(true)
    if (!needs.ok) return needs
    onStart(
      `installing torch ${torchVersion}${cuda === '' ? '' : ` for CUDA ${cuda}`} into the folder ${own}`,
    )
    const { cacheFolder } = this.services.installation
    const place = { folder: own, cacheFolder, cuda, run: this.runTool, onRemark }
    const installed = await installTorch(place)
    const stopped = this.stopped()
    if (stopped) return stopped
    if (!installed.ok) return installed
    const { found, refused } = await findLibtorch(search)
    const made = mustInstall === true ? installedLibtorch(own) : found
    return made
      ? ok({ libtorch: made, isMade: true })
      : err('internal', `Opsmith installed torch in ${own}, but cannot use this torch.`, {
          hint: 'Delete this folder and run set-up again, or choose another libtorch.',
          detail: refused.join('\n'),
        })
  }

  private async addon(tools: Tools): Promise<Result<string>> {
    const started = performance.now()
    const { installation } = this.services
    const { libtorch, compiler } = tools
    const parts = { installation, libtorch, compiler }
    const name = `${compiler.family} ${compiler.version}`
    const present = findBuiltAddon(parts)
    if (present === undefined) {
      this.request.onStart(
        `compiling the native addon with ${name} for libtorch ${libtorch.version}`,
      )
    }
    const workFolder = path.join(installation.cacheFolder, 'addon-work')
    const built =
      present === undefined
        ? await buildAddon(parts, { workFolder, run: this.runTool })
        : ok(present)
    const stopped = this.stopped()
    if (stopped) return stopped
    if (!built.ok) return built
    if (present === undefined) fs.rmSync(workFolder, { recursive: true, force: true })
    this.add({
      name: 'native addon',
      isMade: present === undefined,
      seconds: (performance.now() - started) / 1000,
      bytes: sizeOf(built.value),
      detail: name,
    })
    return built
  }

  private async headers(toolchain: Parameters<typeof compileTools>[1]): Promise<Result<null>> {
    const started = performance.now()
    const { installation } = this.services
    const { signal, onRemark, onStart } = this.request
    const size = (): number =>
      ['precompiled', 'compile-server'].reduce(
        (sum, name) => sum + sizeOf(path.join(installation.cacheFolder, name)),
        0,
      )
    const before = size()
    onStart("preparing libtorch's precompiled headers and the compile server")
    const compilers = Math.min(os.cpus().length, Math.floor(os.freemem() / bytesPerCompiler))
    const prepared = await prepareTools(compileTools(installation, toolchain), {
      compilers: Math.max(1, compilers),
      signal,
      onRemark,
    })
    const stopped = this.stopped()
    if (stopped) return stopped
    if (!prepared.ok) return prepared
    const { made } = prepared.value
    this.add({
      name: 'precompiled headers',
      isMade: made > 0,
      seconds: (performance.now() - started) / 1000,
      bytes: made > 0 ? Math.max(0, size() - before) : before,
      detail: made > 0 ? `${made} made` : '',
    })
    return ok(null)
  }
}

/** Makes an installed Opsmith ready: libtorch, the addon for it, and what builds start from. */
export class Setup {
  constructor(
    private readonly services: {
      installation: Installation
      projects: Projects
      headers: HeaderPreparation
    },
  ) {}

  /** What it would find and make now. */
  async plan(): Promise<SetupPlan> {
    return await planSetup(this.services)
  }

  /**
   * Interrupted anywhere and started again, it comes to the same end.
   * Errors: something of the system is missing (`toolchain.missing`, the hint has the command), the addon does not
   * compile (`toolchain.mismatch`), it was stopped (`cancelled`), another set-up is running.
   */
  async run(request: SetupRequest): Promise<Result<SetupReport>> {
    const { installation, headers } = this.services
    return await withSetupLock(installation.cacheFolder, () =>
      headers.withoutBackground(() => new SetupRun(this.services, request).run()),
    )
  }
}
