import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import type { DoctorReport, Finding, Judgement } from '../../contract/doctor'
import { describeBounds, readBounds, sandboxStateOf } from '../../contract/sandbox'
import type { Result } from '../../contract/outcome'
import type { Settings } from '../../contract/settings'
import { compileTimeKey, readCompileTimes } from '../compile/compile-times'
import { isClone, readSetupEnvironment, setupCommand } from '../installation'
import type { Installation } from '../installation'
import { blank } from './blank-finding'
import { cudaFindings } from './cuda-findings'
import { projectFindings } from './project-findings'
import { runtimeFinding } from './runtime-finding'
import { virtualGpuFinding } from './virtual-gpu-finding'
import { findClangLibraries } from '../compile/hot/clang-libraries'
import { clangdFinding } from '../toolchain/find-clangd'
import { addonLibtorch, findAddon, launcherName, launcherOf } from '../toolchain/addon-location'
import type { OpenProject, Projects } from '../project/open-project'
import { chooseToolchain, chosenTools } from '../toolchain/choose'
import type { Choice, Toolchain } from '../toolchain/choose'
import { findCompilers } from '../toolchain/compilers'
import type { Compiler } from '../toolchain/compilers'
import { findOnPath } from '../toolchain/find-on-path'
import { findPythons } from '../toolchain/libtorch'
import { allLibtorchs } from '../toolchain/libtorch-places'
import { runProcess } from '../toolchain/run-command'

async function findTool(
  kind: Finding['kind'],
  names: readonly string[],
  missing: { judgement: Judgement; why: string; remedy: string },
): Promise<Finding> {
  const file = names.map((name) => findOnPath(name)).find((found) => found !== undefined)
  const name = names[0] ?? ''
  if (!file) return { ...blank, kind, name, path: '', ...missing }
  const result = await runProcess(file, ['--version'])
  const version = /(\d+\.\d+(\.\d+)?)/.exec(result.stdout)?.[1] ?? ''
  return { ...blank, kind, name: `${name} ${version}`.trim(), path: file, version }
}

/** What g++ takes on this machine, and what clang would save, as far as set-up measured them. */
function measuredAdvice(own: number | undefined, clang: number | undefined, name: string): string {
  const took = own === undefined ? '' : `: a small operator compiles in ${own.toFixed(2)} s`
  return own !== undefined && clang !== undefined && clang < own
    ? `works${took}; with ${name} in ${clang.toFixed(2)} s (${(own - clang).toFixed(2)} s less)`
    : `works${took}; the compile server, which makes builds after an edit fast, needs clang`
}

async function compilerFindings(
  installation: Installation,
  chosen: Toolchain | undefined,
  choice: Choice,
): Promise<Finding[]> {
  const compilers = await findCompilers([choice.compiler])
  const times = readCompileTimes(installation)
  const secondsOf = (compiler: Compiler | undefined): number | undefined =>
    compiler &&
    chosen &&
    times[compileTimeKey(compiler.identity, chosen.libtorch.identity)]?.seconds
  const clang = compilers.find(
    (compiler) => compiler.family === 'clang' && compiler.judgement === 'usable',
  )
  return compilers.map((compiler) => {
    const seconds = secondsOf(compiler)
    const isSlow = compiler.family === 'g++' && compiler.judgement === 'warning'
    return {
      kind: 'compiler',
      name: `${compiler.family === 'clang' ? 'clang++' : 'g++'} ${compiler.version}`,
      path: compiler.path,
      version: compiler.version,
      judgement: compiler.judgement,
      why: isSlow
        ? measuredAdvice(seconds, secondsOf(clang), `clang ${clang?.version ?? ''}`)
        : compiler.why,
      // Nothing to install where it is there.
      remedy: isSlow && clang ? '' : compiler.remedy,
      chosen: chosen?.compiler.identity === compiler.identity,
      facts: [
        ['linker', compiler.linker === '' ? 'ld' : path.basename(compiler.linker)],
        ...(seconds === undefined
          ? []
          : [['small operator compiles in', `${seconds.toFixed(2)} s`] satisfies [string, string]]),
      ],
    }
  })
}

async function libtorchFindings(
  chosen: Toolchain | undefined,
  choice: Choice,
  setup: string,
): Promise<Finding[]> {
  const found = await allLibtorchs({ chosen: choice.libtorch, setup })
  return found.map((libtorch) => ({
    kind: 'libtorch',
    name: `libtorch ${libtorch.version}`,
    path: libtorch.folder,
    version: libtorch.version,
    judgement: libtorch.judgement,
    why: libtorch.why,
    remedy: libtorch.remedy,
    chosen: chosen?.libtorch.identity === libtorch.identity,
    facts: [
      ['found by', libtorch.origin],
      ['C++ ABI', libtorch.cxx11Abi ? 'cxx11' : 'pre-cxx11'],
      ['C++ standard', `C++${libtorch.cxxStandard}`],
      ['CUDA', libtorch.hasCuda ? libtorch.cuda || 'version unknown' : 'none (CPU build)'],
    ],
  }))
}

/** clang as a library, of which the compile server is made. */
function serverFinding(chosen: Toolchain | undefined): Finding {
  const base = { ...blank, kind: 'tool' as const, name: "clang's libraries" }
  if (!chosen)
    return {
      ...base,
      path: '',
      judgement: 'absent',
      why: 'cannot be checked without a usable compiler and libtorch',
    }
  const { found, why, remedy } = findClangLibraries(chosen.compiler)
  return found
    ? { ...base, path: found.folder, chosen: true, facts: [['for', 'hot compile']] }
    : {
        ...base,
        path: '',
        judgement: 'absent',
        why: `the compile server does not work (${why}), so a build after an edit takes a second or more`,
        remedy,
      }
}

function addonFinding(installation: Installation, chosen: Toolchain | undefined): Finding {
  const base = {
    ...blank,
    kind: 'addon' as const,
    name: 'native addon',
    path: installation.addonFolder,
  }
  if (!chosen) return { ...base, judgement: 'warning', why: 'cannot be checked without libtorch' }
  const check = findAddon(installation, chosen.libtorch)
  return check.ok
    ? {
        ...base,
        path: check.value,
        chosen: true,
        facts: [['linked with', addonLibtorch(installation)]],
      }
    : { ...base, judgement: 'unusable', why: check.error.message, remedy: check.error.hint ?? '' }
}

/** What keeps op hosts in their bounds here; they run without it all the same. */
async function sandboxFinding(
  { addonFolder, root }: Installation,
  { sandbox, writableFolders }: Settings,
): Promise<Finding> {
  const file = path.join(addonFolder, launcherName)
  const base = { ...blank, kind: 'tool' as const, name: 'op host sandbox', path: file }
  if (!fs.existsSync(file))
    return {
      ...base,
      path: '',
      judgement: 'absent',
      why: 'not built',
      remedy: setupCommand(root),
    }
  const examined = await runProcess(file, ['--examine'])
  const { bounds, why } = sandboxStateOf(sandbox, readBounds(examined.stdout))
  const facts: Finding['facts'] = [
    ...(bounds.length === 0
      ? []
      : [['an operator', describeBounds(bounds)] satisfies [string, string]]),
    ...writableFolders.map((folder) => ['may write to', folder] satisfies [string, string]),
  ]
  if (why === '') return { ...base, chosen: true, facts }
  return {
    ...base,
    chosen: bounds.length > 0,
    judgement: sandbox ? 'warning' : 'usable',
    why,
    facts,
  }
}

function mismatches(toolchain: Toolchain): DoctorReport['problems'] {
  const problems: DoctorReport['problems'] = []
  const { compiler, libtorch } = toolchain
  const oldForStandard =
    libtorch.cxxStandard === 20 &&
    (compiler.family === 'g++' ? compiler.major < 11 : compiler.major < 16)
  if (oldForStandard) {
    problems.push({
      message: `libtorch ${libtorch.version} needs C++20, which ${compiler.family} ${compiler.version} does not fully support.`,
      remedy: 'apt-get install clang-19 lld-19',
    })
  }
  return problems
}

/**
 * Looks for everything that building and running an operator needs, and judges it.
 * @param settings the user's clangd and sandbox
 */
export async function examine(
  installation: Installation,
  choice: Choice,
  settings: Settings,
): Promise<DoctorReport> {
  const started = performance.now()
  const setup = readSetupEnvironment(installation.root, installation.cacheFolder)
  const chosen = await chooseToolchain(installation, choice)
  const toolchain = chosen.ok ? chosen.value : undefined
  const [compilers, libtorchs, cuda, virtualGpu, pythons, tools] = await Promise.all([
    compilerFindings(installation, toolchain, choice),
    libtorchFindings(toolchain, choice, setup.libtorch ?? ''),
    cudaFindings(toolchain, launcherOf(installation)),
    virtualGpuFinding(choice.gpu, chosen),
    findPythons([setup.python ?? '']),
    Promise.all([
      findTool('linker', ['ld.lld', 'ld.lld-19', 'ld.lld-18', 'ld.lld-17', 'ld.lld-16'], {
        judgement: 'absent',
        why: 'without lld or mold, linking takes about ten times as long',
        remedy: 'apt-get install lld-19',
      }),
      findTool('linker', ['mold'], {
        judgement: 'absent',
        why: 'not needed with lld',
        remedy: '',
      }),
      clangdFinding(settings.clangd),
      findTool('tool', ['cmake'], {
        judgement: 'absent',
        why: 'set-up needs cmake to build the native addon',
        remedy: 'apt-get install cmake',
      }),
      findTool('tool', ['ninja'], {
        judgement: 'absent',
        why: 'set-up uses make instead',
        remedy: '',
      }),
      sandboxFinding(installation, settings),
      findTool('tool', ['pkg-config'], {
        judgement: 'absent',
        why: 'projects with "pkgConfig" in opsmith.json cannot be built',
        remedy: 'apt-get install pkg-config',
      }),
    ]),
  ])
  const pythonFindings = pythons.map((python): Finding => ({
    ...blank,
    kind: 'python',
    name: `Python ${python.version}`,
    path: python.python,
    version: python.version,
    judgement: 'usable',
    facts: [['torch', python.torchFolder === '' ? 'none' : python.torchFolder]],
  }))
  const addon = addonFinding(installation, toolchain)
  const problems: DoctorReport['problems'] = toolchain ? mismatches(toolchain) : []
  problems.push(...cuda.problems)
  if (!chosen.ok)
    problems.unshift({ message: chosen.error.message, remedy: chosen.error.hint ?? '' })
  if (toolchain && addon.judgement === 'unusable') {
    problems.push({ message: addon.why, remedy: addon.remedy })
  }
  return {
    ok: problems.length === 0,
    platform: `${os.type()} ${os.release()} ${os.arch()}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB${fs.existsSync('/.dockerenv') ? ', in a container' : ''}`,
    findings: [
      ...compilers,
      serverFinding(toolchain),
      ...tools,
      ...libtorchs,
      ...pythonFindings,
      ...cuda.findings,
      virtualGpu,
      addon,
      ...(installation.runtime
        ? [runtimeFinding(installation.runtime, isClone(installation.root))]
        : []),
    ],
    problems,
    seconds: (performance.now() - started) / 1000,
  }
}

function untrustedCompiler(file: string): Finding {
  return {
    ...blank,
    kind: 'compiler',
    name: path.basename(file),
    path: file,
    judgement: 'warning',
    why: 'opsmith.json chooses this compiler. The version of the compiler is unknown, because the folder is not trusted',
    remedy:
      'Trust the folder in the window. On the command line, builds use this compiler even if the folder is not trusted.',
  }
}

interface DoctorServices {
  installation: Installation
  projects: Projects
  /** The Python of a folder. */
  choosePython: (folder: string) => Promise<Result<string>>
}

/** What doctor says of a project's tools, or of those that the settings choose. */
export class Doctor {
  constructor(private readonly services: DoctorServices) {}

  /** @param folder of a project; "" for none */
  async report(folder: string): Promise<DoctorReport> {
    const { installation, projects } = this.services
    const settings = await projects.settings()
    const project = folder === '' ? undefined : await projects.open(folder)
    const manifest = project?.ok ? project.value.manifest : undefined
    const choice = chosenTools(settings, manifest)
    if (await this.mayRun(folder, choice.compiler, settings.compiler)) {
      const report = await examine(installation, choice, settings)
      return project?.ok ? await this.withProject(report, project.value) : report
    }
    const usual = { ...choice, compiler: settings.compiler }
    const report = await examine(installation, usual, settings)
    return { ...report, findings: [...report.findings, untrustedCompiler(choice.compiler)] }
  }

  /** What is known of the project is added, where its folder is trusted: its Python is run. */
  private async withProject(report: DoctorReport, project: OpenProject): Promise<DoctorReport> {
    const isTrusted = (await this.services.projects.trustOf(project.folder)) === 'trusted'
    const toolchain = isTrusted ? await project.toolchain() : undefined
    if (!toolchain?.ok) return report
    const python = await this.services.choosePython(project.folder)
    const findings = await projectFindings(project, toolchain.value, python)
    const problems = findings
      .filter(({ judgement }) => judgement === 'unusable')
      .map(({ name, why, remedy }) => ({ message: `${name}: ${why}`, remedy }))
    return {
      ...report,
      ok: report.ok && problems.length === 0,
      findings: [...findings, ...report.findings],
      problems: [...report.problems, ...problems],
    }
  }

  /** Looking runs a compiler, to ask for its version: one that only an opsmith.json names must be trusted. */
  private async mayRun(folder: string, compiler: string, usual: string): Promise<boolean> {
    if (compiler === usual) return true
    const onPath = await findCompilers()
    if (onPath.some(({ path: file }) => file === compiler)) return true
    return (await this.services.projects.trustOf(folder)) === 'trusted'
  }
}
