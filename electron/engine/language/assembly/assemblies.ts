import path from 'node:path'

import type {
  AssemblyChoice,
  AssemblyComparison,
  AssemblyFunction,
  AssemblyListing,
  AssemblyReport,
  AssemblySide,
  LoopEstimate,
  OptimizationRemark,
  RowRange,
} from '../../../contract/assembly'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { Builds } from '../../builds/builds'
import { planBuild } from '../../compile/plan'
import type { BuildPlan } from '../../compile/plan'
import type { Installation } from '../../installation'
import { isCuda } from '../../project/sources'
import type { OpenProject, Projects } from '../../project/open-project'
import type { Toolchain } from '../../toolchain/choose'
import { findCompilers } from '../../toolchain/compilers'
import type { Compiler } from '../../toolchain/compilers'
import { comparisonOf, counterpart } from './compare'
import { deviceCode, whyNoSass } from './device-code'
import type { DeviceForm } from './device-code'
import { namedFunctions } from './function-names'
import { estimateLoop } from './loops'
import { MachineCode, placesOf } from './machine-code'
import { remarksOf } from './remarks'
import type { Places } from './rows'
import { functionUnderPlan } from './with-flags'

interface AssemblyServices {
  installation: Installation
  projects: Projects
  builds: Builds
  /** The library of a kept build by its key, its name or "last". */
  keptBuild: (
    project: OpenProject,
    wanted: string,
  ) => Promise<Result<{ label: string; library: string }>>
}

/** One side of a comparison. */
interface Side {
  label: string
  report: AssemblyReport
}

/** One build's code, as far as it was asked for. */
interface Known {
  folder: string
  key: string
  project: OpenProject
  toolchain: Toolchain
  plan: BuildPlan
  /** The same for a GPU, where CUDA code was built for the virtual one. */
  devicePlan: BuildPlan
  places: Places
  machine: MachineCode
  device: Map<DeviceForm, Promise<Result<AssemblyReport[]>>>
  /** By source: a compile each. */
  remarks: Map<string, Promise<Result<OptimizationRemark[]>>>
}

/** The processor's and the GPU's code of what was built last, function by function. */
export class Assemblies {
  private known: Known | undefined

  constructor(private readonly services: AssemblyServices) {}

  private async codeOf(folder: string): Promise<Result<Known>> {
    const absolute = path.resolve(folder)
    const build = this.services.builds.lastBuild(absolute)
    if (!build) {
      return err('build.required', 'This project has no successful build yet.', {
        hint: 'Build the project (Ctrl+B). If the build fails, fix its errors.',
      })
    }
    const known = (): Known | undefined =>
      this.known?.folder === absolute && this.known.key === build.key ? this.known : undefined
    const before = known()
    if (before) return ok(before)
    const { installation, projects } = this.services
    const opened = await projects.open(absolute)
    if (!opened.ok) return opened
    const project = opened.value
    const toolchain = await project.toolchain()
    if (!toolchain.ok) return toolchain
    const plan = await planBuild({
      installation,
      project,
      toolchain: toolchain.value,
      variant: 'plain',
    })
    if (!plan.ok) return plan
    const devicePlan = await this.devicePlan(project, toolchain.value, plan.value)
    if (!devicePlan.ok) return devicePlan
    // Who asked at the same time has the same one: nvcc mangles some names again each time it compiles.
    const meanwhile = known()
    if (meanwhile) return ok(meanwhile)
    const places = placesOf(absolute, plan.value.contentFolders)
    this.known = {
      folder: absolute,
      key: build.key,
      project,
      places,
      device: new Map(),
      remarks: new Map(),
      toolchain: toolchain.value,
      plan: plan.value,
      devicePlan: devicePlan.value,
      machine: new MachineCode(build.loadPath, places),
    }
    return ok(this.known)
  }

  private async devicePlan(
    project: OpenProject,
    toolchain: Toolchain,
    plan: BuildPlan,
  ): Promise<Result<BuildPlan>> {
    if (!toolchain.virtualGpu || !toolchain.cuda) return ok(plan)
    return await planBuild({
      installation: this.services.installation,
      project: project.withoutVirtualGpu(),
      toolchain: { ...toolchain, virtualGpu: undefined },
      variant: 'plain',
    })
  }

  /** Device code is compiled when it is first asked for. */
  private async device(known: Known, form: DeviceForm): Promise<Result<AssemblyReport[]>> {
    const before = known.device.get(form)
    if (before) return await before
    const made = this.compileDevice(known, known.devicePlan, form)
    known.device.set(form, made)
    return await made
  }

  private async compileDevice(
    { folder, toolchain, places }: Known,
    plan: BuildPlan,
    form: DeviceForm,
    signal?: AbortSignal,
  ): Promise<Result<AssemblyReport[]>> {
    const reports: AssemblyReport[] = []
    for (const task of plan.compiles.filter(({ source }) => isCuda(source))) {
      const made = await deviceCode(task, form, { folder, toolchain, places, signal })
      if (!made.ok) return made
      reports.push(...made.value)
    }
    return ok(reports)
  }

  async list(folder: string, form: AssemblyChoice['form']): Promise<Result<AssemblyListing>> {
    const known = await this.codeOf(folder)
    if (!known.ok) return known
    const functions = await this.functions(known.value, form)
    if (!functions.ok) return functions
    const hasCuda = known.value.plan.compiles.some((task) => isCuda(task.around ?? task.source))
    const noCuda = !hasCuda
      ? 'This project has no CUDA source.'
      : known.value.toolchain.cuda
        ? ''
        : 'nvcc is not installed.'
    return ok({
      functions: functions.value,
      forms: [
        { form: 'machine', whyNot: '' },
        { form: 'ptx', whyNot: noCuda },
        { form: 'sass', whyNot: noCuda === '' ? whyNoSass(known.value.toolchain) : noCuda },
      ],
      compilers: await otherCompilers(known.value.toolchain.compiler),
    })
  }

  private async functions(
    known: Known,
    form: AssemblyChoice['form'],
  ): Promise<Result<AssemblyFunction[]>> {
    if (form === 'machine') return await known.machine.list()
    const reports = await this.device(known, form)
    return reports.ok ? ok(reports.value.map((report) => report.function)) : reports
  }

  async show(folder: string, choice: AssemblyChoice): Promise<Result<AssemblyReport>> {
    const known = await this.codeOf(folder)
    if (!known.ok) return known
    const functions = await this.functions(known.value, choice.form)
    if (!functions.ok) return functions
    const file = choice.file === '' ? '' : path.resolve(folder, choice.file)
    const wanted =
      choice.name === ''
        ? await this.functionAt(known.value, choice.form, file, choice.line)
        : chosenByName(functions.value, choice, file)
    if (!wanted.ok) return wanted
    if (choice.form === 'machine') return await known.value.machine.show(wanted.value)
    const reports = await this.device(known.value, choice.form)
    if (!reports.ok) return reports
    const report = reports.value.find((one) => one.function.id === wanted.value.id)
    return report
      ? ok(report)
      : err('operator.unknown', `The device code has no function ${wanted.value.name}.`, {
          hint: 'Choose another function from the list, or build the project again.',
        })
  }

  /**
   * A function of the loaded build as two sides have it, next to each other. Errors: those of show() and of the
   * compiles; a side has no such function (operator.unknown); there is no such compiler (request.invalid).
   */
  async compare(
    folder: string,
    choice: AssemblyChoice,
    sides: { base: AssemblySide; other: AssemblySide },
    signal?: AbortSignal,
  ): Promise<Result<AssemblyComparison>> {
    const shown = await this.show(folder, choice)
    if (!shown.ok) return shown
    const known = await this.codeOf(folder)
    if (!known.ok) return known
    const made: Side[] = []
    // One after the other: each may take a compiler all of a core.
    for (const side of [sides.base, sides.other]) {
      const one = await this.side(known.value, shown.value, side, signal)
      if (!one.ok) return one
      made.push(one.value)
    }
    const [base, other] = made
    if (!base || !other) throw new Error('a side is missing')
    return ok(comparisonOf(base, other))
  }

  private async side(
    known: Known,
    shown: AssemblyReport,
    side: AssemblySide,
    signal: AbortSignal | undefined,
  ): Promise<Result<Side>> {
    if (side.kind === 'loaded') return ok({ label: 'now', report: shown })
    if (side.kind === 'build') return await this.inBuild(known, shown, side.build)
    return await this.underFlags(known, shown, side, signal)
  }

  private async inBuild(
    { project, places }: Known,
    { form, function: wanted }: AssemblyReport,
    build: string,
  ): Promise<Result<Side>> {
    if (form !== 'machine') {
      return err('request.invalid', 'Opsmith cannot compare PTX or SASS with an earlier build.', {
        path: 'other',
        hint: 'Compare with other flags, or show the CPU machine code instead of PTX or SASS.',
      })
    }
    const kept = await this.services.keptBuild(project, build)
    if (!kept.ok) return kept
    const { label, library } = kept.value
    const code = new MachineCode(library, places)
    const functions = await code.list()
    if (!functions.ok) return functions
    const found = counterpart(functions.value, wanted, label)
    const report = found.ok ? await code.show(found.value) : found
    return report.ok ? ok({ label, report: report.value }) : report
  }

  private async underFlags(
    known: Known,
    { form, function: wanted }: AssemblyReport,
    { flags, compiler: named }: Extract<AssemblySide, { kind: 'flags' }>,
    signal: AbortSignal | undefined,
  ): Promise<Result<Side>> {
    const { folder, project, places } = known
    const { installation } = this.services
    const compiler = await namedCompiler(named, known.toolchain.compiler)
    if (!compiler.ok) return compiler
    const toolchain = { ...known.toolchain, compiler: compiler.value }
    const { family, version } = compiler.value
    const label = [...(named === '' ? [] : [`${family} ${version}`]), ...flags].join(' ')
    const plan = await planBuild({
      installation,
      project: project.withFlags(flags),
      toolchain,
      variant: 'plain',
    })
    if (!plan.ok) return plan
    if (form === 'machine') {
      const report = await functionUnderPlan(plan.value, wanted, { folder, places, label, signal })
      return report.ok ? ok({ label, report: report.value }) : report
    }
    const devicePlan = await this.devicePlan(project.withFlags(flags), toolchain, plan.value)
    if (!devicePlan.ok) return devicePlan
    const reports = await this.compileDevice(
      { ...known, toolchain },
      devicePlan.value,
      form,
      signal,
    )
    if (!reports.ok) return reports
    const functions = reports.value.map((report) => report.function)
    const found = counterpart(functions, wanted, label)
    if (!found.ok) return found
    const report = reports.value.find((one) => one.function.id === found.value.id)
    return report
      ? ok({ label, report })
      : err('internal', `${found.value.name} has no instructions.`)
  }

  /**
   * clang's remarks on the project's lines, from one more compile of a source. Errors: it does not compile; it is g++.
   */
  async remarks(
    folder: string,
    file: string,
    signal?: AbortSignal,
  ): Promise<Result<OptimizationRemark[]>> {
    const known = await this.codeOf(folder)
    if (!known.ok) return known
    const { plan, places, remarks } = known.value
    const source = path.resolve(folder, file)
    if (isCuda(source)) {
      return err(
        'request.invalid',
        'Opsmith shows optimization remarks only for C++ sources, not for CUDA sources.',
        {
          path: 'file',
          hint: 'Choose a C++ source.',
        },
      )
    }
    const made =
      remarks.get(source) ?? remarksOf(plan, source, { folder: known.value.folder, places, signal })
    remarks.set(source, made)
    const found = await made
    // What was stopped is made again when it is asked for again.
    if (!found.ok && found.error.code === 'cancelled') remarks.delete(source)
    return found
  }

  /** llvm-mca's estimate of one of the loops of a function. Errors: those of show(); there is no llvm-mca. */
  async estimate(
    folder: string,
    choice: AssemblyChoice,
    loop: RowRange,
  ): Promise<Result<LoopEstimate>> {
    const report = await this.show(folder, choice)
    if (!report.ok) return report
    const { loops, function: shown } = report.value
    const isThere = loops.some(({ first, last }) => first === loop.first && last === loop.last)
    return isThere
      ? await estimateLoop(report.value, loop)
      : err('request.invalid', `The chosen rows of ${shown.title} are not an innermost loop.`, {
          path: 'loop',
          hint: 'Choose a loop that contains no other loop.',
        })
  }

  private async functionAt(
    known: Known,
    form: AssemblyChoice['form'],
    file: string,
    line: number,
  ): Promise<Result<AssemblyFunction>> {
    let found: AssemblyFunction | undefined
    if (form === 'machine') {
      const at = await known.machine.at(file, line)
      if (!at.ok) return at
      found = at.value
    } else {
      const reports = await this.device(known, form)
      if (!reports.ok) return reports
      if (reports.value.some(({ tool }) => tool === 'cuobjdump')) {
        return err(
          'operator.unknown',
          'Opsmith cannot find the function at this line: cuobjdump does not show source lines.',
          {
            hint: 'Choose a function from the list. To find functions by source line, install nvdisasm.',
          },
        )
      }
      found = reports.value.find((report) =>
        report.rows.some((row) => row.file === file && row.line === line),
      )?.function
    }
    return found
      ? ok(found)
      : err(
          'operator.unknown',
          `The library contains no code for ${path.basename(file)}:${line}.`,
          {
            hint: 'Place the cursor in a function that is compiled and used, or choose a function from the list.',
          },
        )
  }
}

/** File names of those that can build, without the project's own. */
async function otherCompilers(own: Compiler): Promise<string[]> {
  const found = (await findCompilers()).filter(({ judgement }) => judgement !== 'unusable')
  return found
    .filter(({ identity }) => identity !== own.identity)
    .map((compiler) => path.basename(compiler.path))
}

/** One of this machine's, by its path or the name of its file; "" for the project's own. Only those that it finds are run. */
async function namedCompiler(named: string, own: Compiler): Promise<Result<Compiler>> {
  if (named === '') return ok(own)
  const found = (await findCompilers()).filter(({ judgement }) => judgement !== 'unusable')
  const one = [own, ...found].find(
    (compiler) => compiler.path === named || path.basename(compiler.path) === named,
  )
  if (one) return ok(one)
  const names = [...new Set([own, ...found].map((compiler) => path.basename(compiler.path)))]
  return err('request.invalid', `There is no compiler ${named} that can build this project.`, {
    path: 'compiler',
    hint: `Choose one of ${names.join(', ')}.`,
  })
}

function chosenByName(
  functions: readonly AssemblyFunction[],
  { name, form }: AssemblyChoice,
  file: string,
): Result<AssemblyFunction> {
  const found = namedFunctions(functions, name).filter((one) => file === '' || one.file === file)
  const [first, second] = found
  if (first && !second) return ok(first)
  if (!first) {
    const names = functions.slice(0, 12).map((one) => one.title)
    return err('operator.unknown', `There is no function ${name} in the library.`, {
      hint:
        names.length === 0
          ? form === 'machine'
            ? 'The built library contains no function from this project’s sources. Check "sources" in opsmith.json, then build again.'
            : 'The build compiles no GPU code from this project’s sources. Show the CPU machine code instead of PTX or SASS.'
          : `The library has the functions ${[...new Set(names)].join(', ')}${functions.length > 12 ? ' and more' : ''}.`,
    })
  }
  // Titles are shortest, and stay as they are: nvcc mangles what is in an unnamed namespace again each time.
  const unlike = (names: string[]): boolean => new Set(names).size === found.length
  const ways = [found.map((one) => one.title), found.map((one) => one.name)]
  const names = ways.find(unlike) ?? found.map((one) => `${one.id} (${one.name})`)
  return err('request.invalid', `${name} matches several functions.`, {
    path: 'name',
    hint: `Use one of: ${names.join('; ')}`,
  })
}
