import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { gradcheckOptions } from '../../electron/contract/gradcheck'
import type { GradcheckReport } from '../../electron/contract/gradcheck'
import type { Manifest } from '../../electron/contract/manifest'
import type {
  OperatorCheckName,
  OperatorCheckFinding,
} from '../../electron/contract/operator-check'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { hiddenProject } from '../support/hidden-faults'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'
import { hiddenJobs, hiddenSection, skipsSection } from './check-sections'
import type { Skip } from './check-sections'
import type { OperatorCase } from './gradcheck-operators'
import { gradientChecksOf, libtorchCases, libtorchJobs, variants } from './libtorch-cases'
import { countOf, operatorCheckRow, parityDocument, pythonPasses } from './parity-table'
import type { Cell, GradientRow, PythonColumn, Verdict, WrongRow } from './parity-table'
import { askPythonToCheck, checkIn, gradientChecks, opcheckTests } from './python-checks'
import type { OpcheckTest, PythonCheck, PythonVerdict } from './python-checks'
import { argumentsOf, caseOperators, wrongProjects } from './wrong-operators'
import type { CaseOperator } from './wrong-operators'

/** Which of our checks look at what one of torch.library.opcheck's does. */
const counterparts: Record<OpcheckTest, readonly OperatorCheckName[]> = {
  test_schema: ['mutation', 'aliasing'],
  test_autograd_registration: ['autograd_registration'],
  test_faketensor: ['meta'],
  test_aot_dispatch_dynamic: [],
}

const composite =
  'of a composite operator, PyTorch looks only at the operators that it calls in turn.'

const goesOn = 'PyTorch stops at the first failure, Opsmith goes on to the crash.'

/** What our check is stricter about than its counterpart there, with the reason. */
const stricter: Record<string, Partial<Record<string, string>>> = {
  'crash_in_backward::undefined_grad': {
    'forward mode': goesOn,
    'fast, forward mode': goesOn,
    'batched, forward mode': goesOn,
  },
  'wrong_operators::hidden_mutation': {
    test_schema: 'PyTorch compares values with a tolerance, Opsmith bit for bit.',
  },
  'wrong_gradients::in_place': {
    fast: 'One element of 12 changes: the random vectors decide whether fast mode sees it.',
    test_schema: composite,
    test_faketensor: composite,
  },
  'wrong_gradients::writes_grad_output': {
    test_schema: 'PyTorch does not look at what backward writes to.',
  },
}

/** A project of wrong operators, built. */
interface Project {
  folder: string
  library: string
  manifest: Manifest
}

const { workbench, cache } = useWorkbench()
const projects = new Map<string, Project>()
let python: ReadonlyMap<string, PythonVerdict>

beforeAll(async () => {
  for (const source of [...wrongProjects, hiddenProject]) {
    const folder = copyProject(source, cache)
    const manifest = unwrap(await readManifest(folder))
    const { ok, library } = unwrap(await workbench.builds.build(folder))
    if (!ok || library === undefined) throw new Error(`${source} does not build`)
    projects.set(source, { folder, library, manifest })
  }
  const libraries = [...projects.values()].map((project) => project.library)
  const hidden = projects.get(hiddenProject)
  const jobs = [...caseJobs(), ...libtorchJobs(), ...(hidden ? hiddenJobs(hidden.manifest) : [])]
  python = await askPythonToCheck(libraries, jobs, cache.home)
}, 600_000)

/** A call of an operator of the projects. */
function callOf(operator: CaseOperator) {
  const project = projects.get(operator.project)
  if (!project) throw new Error(`${operator.project} was not built`)
  const { inputs } = project.manifest
  const args = argumentsOf(operator, project.manifest)
  const differentiable = args.some(
    (arg) => typeof arg === 'string' && inputs[arg]?.requires_grad === true,
  )
  return { folder: project.folder, call: { op: operator.op, args, inputs }, differentiable }
}

/** One job an operator: PyTorch's checks of it. */
function caseJobs(): PythonCheck[][] {
  return caseOperators.map((operator) => {
    const { call, differentiable } = callOf(operator)
    const operatorChecks = opcheckTests.map((check) => {
      return { key: `${operator.op} ${check}`, check, ...call, options: {} }
    })
    return [...(differentiable ? gradientChecksOf(operator.op, call) : []), ...operatorChecks]
  })
}

interface OurVerdict {
  verdict: Verdict
  failed: { check: string; reason: string }[]
}

function ourVerdict(result: Result<Pick<GradcheckReport, 'findings'>>): OurVerdict
function ourVerdict(result: Result<{ findings: OperatorCheckFinding[] }>): OurVerdict
function ourVerdict(
  result: Result<{
    findings: { check: string; status: string; reason: string }[]
  }>,
): OurVerdict {
  if (!result.ok && result.error.code !== 'host.crashed') throw new Error(result.error.message)
  if (!result.ok) return { verdict: 'crashed', failed: [] }
  const failed = result.value.findings.filter((finding) => finding.status === 'failed')
  return { verdict: failed.length > 0 ? 'failed' : 'passed', failed }
}

const reasons = (ours: OurVerdict): string =>
  ours.failed.map(({ check, reason }) => `${check}: ${reason}`).join('\n')

function pythonVerdict(key: string): Verdict {
  const answer = python.get(key)
  if (!answer) throw new Error(`Python did not answer ${key}`)
  return answer.ended === '' ? (answer.ok ? 'passed' : 'failed') : 'crashed'
}

const notMade: Cell = { python: undefined, ours: undefined, stricter: '' }
const limits = { timeout: 120 }

/** What both say of the gradients of a call; `folder` is the project that has the operator, if one has. */
async function compareGradients(
  name: string,
  entry: OperatorCase,
  folder?: string,
): Promise<{ row: GradientRow; ours: Record<string, OurVerdict> }> {
  const cells: Record<string, Cell> = {}
  const verdicts: Record<string, OurVerdict> = {}
  for (const [variant, { secondOrder, options: given }] of Object.entries(variants)) {
    const options = gradcheckOptions.parse(given)
    const request = { ...entry, secondOrder, options, keepJacobians: false }
    const within = { ...limits, phase: `gradcheck ${entry.op}` }
    const ours = ourVerdict(
      folder === undefined
        ? await workbench.hosts.call('gradcheck.run', request, within)
        : await workbench.gradchecks.run(folder, request, limits),
    )
    const theirs = pythonVerdict(`${name} ${variant}`)
    const because = stricter[name]?.[variant] ?? ''
    cells[variant] = { python: theirs, ours: ours.verdict, stricter: because }
    verdicts[variant] = ours
    const check = checkIn(python.get(`${name} ${variant}`)?.message ?? '')
    // What differs from call to call may fail one check here and another there.
    if (check !== undefined && entry.op !== 'aten::bernoulli')
      expect(reasons(ours), `${variant} of ${name}`).toContain(check)
  }
  return { row: { name, cells }, ours: verdicts }
}

/** What these find makes other checks fail too, in one run and not in the next: the table names the cause alone. */
const causesOfChance = new Set(['writes_outside', 'reads_outside', 'unwritten', 'threads'])

/** What our checks say nothing of, by the operators of the projects and of the samples. */
const skips: Skip[] = []

function keepSkips(
  op: string,
  findings: readonly Pick<OperatorCheckFinding, 'check' | 'status' | 'reason'>[],
): void {
  for (const { check, status, reason } of findings) {
    if (status === 'skipped') skips.push({ op, check, reason })
  }
}

const samples = ['calculate_force', 'gc_layer', 'my_op', 'rms_norm', 'sigmoid', 'warp_perspective']

/** Checks only the given calls of the sample, and keeps its skips for the table: the first call decides about skips. */
async function skipsOfSample(name: string): Promise<void> {
  const folder = copyProject(path.join(root, 'samples', name), cache)
  expect(unwrap(await workbench.builds.build(folder)).ok).toBe(true)
  const entries = unwrap(await workbench.operatorChecks.entries(folder, limits))
  // Of a call on a device, more checks are skipped; what is compared here is the CPU's.
  const { inputs } = unwrap(await readManifest(folder))
  const onCpu = entries.filter(({ args }) =>
    args.every((arg) => typeof arg !== 'string' || (inputs[arg]?.device ?? 'cpu') === 'cpu'),
  )
  const given = onCpu.map((entry) => ({ ...entry, shapes: 0 }))
  const outcomes = unwrap(await workbench.operatorChecks.runAll(folder, limits, { entries: given }))
  for (const { op, report, asExpected, error } of outcomes) {
    const failed = report?.findings.filter(({ status }) => status === 'failed') ?? []
    const reasons = failed.map(({ check, reason }) => `${check}: ${reason}`)
    expect(asExpected, [op, error?.message ?? '', ...reasons].join('\n')).toBe(true)
    const shown = op.includes('::') ? op : `${name}.${op}`
    if (report) keepSkips(shown, report.findings)
    // Nobody gave inputs, and it refuses all that its schema suggests.
    else skips.push({ op: shown, check: 'all checks', reason: 'it refuses generated inputs' })
  }
}

/** What both say of an operator of the projects, and what the table says of that. */
async function compareCase(operator: CaseOperator): Promise<WrongRow> {
  const { op, wrong, named } = operator
  const { folder, call, differentiable } = callOf(operator)
  const found: string[] = []
  const cells = Object.fromEntries(
    [...gradientChecks, ...opcheckTests].map((column) => [column, notMade]),
  ) as Record<PythonColumn, Cell>
  const compare = (column: PythonColumn, ours: Verdict | undefined): void => {
    const because = stricter[op]?.[column] ?? ''
    cells[column] = { python: pythonVerdict(`${op} ${column}`), ours, stricter: because }
  }
  const gradients = differentiable ? await compareGradients(op, call, folder) : undefined
  for (const check of gradientChecks) {
    const variant = check === 'gradcheck' ? 'defaults' : 'second order'
    const ours = gradients?.ours[variant]
    if (!gradients || !ours) continue
    cells[check] = gradients.row.cells[variant] ?? notMade
    if (ours.verdict === 'crashed') found.push(`${check}: it ends the process`)
    const names = new Set(ours.failed.map((one) => one.check))
    if (names.size > 0) found.push(`${check}: ${[...names].join(', ')}`)
  }
  const result = await workbench.operatorChecks.run(folder, { op, args: call.args }, limits)
  if (result.ok) keepSkips(op, result.value.findings)
  const ours = ourVerdict(result)
  expect(ours.verdict, `the operator checks of ${op}`).not.toBe('crashed')
  const failed = ours.failed.map((one) => one.check)
  if (operator.fails) {
    expect(failed, `the operator checks of ${op} that fail`).toEqual(operator.fails.checks)
    for (const { reason } of ours.failed.slice(0, 1)) expect(reason).toMatch(operator.fails.reason)
    for (const { reason } of ours.failed) expect(reason).not.toBe('')
  }
  for (const test of opcheckTests) {
    const checks: readonly string[] = counterparts[test]
    const fails = failed.some((check) => checks.includes(check))
    // A damaged heap shows anywhere. Bytes that the operator never wrote, or that it reads outside of a
    // tensor, show where two calls' outputs are compared.
    const comparesOutputs = test === 'test_aot_dispatch_dynamic'
    const isChance =
      failed.includes('writes_outside') ||
      (comparesOutputs && (failed.includes('unwritten') || failed.includes('reads_outside')))
    if (isChance) cells[test] = { python: 'chance', ours: undefined, stricter: '' }
    else compare(test, checks.length === 0 ? undefined : fails ? 'failed' : 'passed')
  }
  // test/native/operator-check-findings.test.ts makes them, where there is memory for them.
  failed.push(...named)
  const causes = failed.filter((check) => causesOfChance.has(check))
  const shown = causes.length > 0 ? causes : failed
  if (shown.length > 0) found.push(shown.join(', '))
  if (wrong !== '' && found.length === 0 && differentiable) {
    const how = { points: 40, firstSeed: 100 }
    const options = gradcheckOptions.parse({})
    const random = { ...call, secondOrder: false, options, keepJacobians: false }
    const search = unwrap(await workbench.gradchecks.search(folder, random, limits, how))
    if (search.failed > 0) found.push('gradcheck: a search over random points')
  }
  return { op, wrong, cells, found, gradients: gradients?.row }
}

/** Made once, by its own test or by that of the table. */
function memoized<Key, T>(make: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const made = new Map<Key, Promise<T>>()
  return (key) => {
    const promise = made.get(key) ?? make(key)
    made.set(key, promise)
    return promise
  }
}

const rowOfCase = memoized(compareCase)
const rowOfLibtorch = memoized(async (name: string) => {
  const entry = libtorchCases.get(name)
  if (!entry) throw new Error(`no case ${name}`)
  return (await compareGradients(name, entry)).row
})

/** Of each check that both have; where ours is said to be stricter it must be. */
function expectSameVerdicts(cells: Record<string, Cell>): void {
  for (const [check, { python: theirs, ours, stricter: because }] of Object.entries(cells)) {
    if (theirs === undefined || ours === undefined) continue
    if (because === '') expect([check, theirs, ours]).toEqual([check, theirs, theirs])
    else
      expect(
        ['failed', 'crashed'].filter((one) => one !== theirs),
        because,
      ).toContain(ours)
  }
}

describe("verdicts on libtorch's operators", () => {
  it('at least 150 operators of libtorch are compared with torch.autograd.gradcheck', () => {
    const names = new Set([...libtorchCases.values()].map((entry) => entry.op))
    expect(names.size).toBeGreaterThanOrEqual(150)
  })

  it.each([...libtorchCases.keys()])(
    'the verdicts on %s equal those of torch.autograd.gradcheck',
    async (name) => {
      expectSameVerdicts((await rowOfLibtorch(name)).cells)
    },
  )
})

describe('verdicts on wrong and correct operators', () => {
  it('at least 40 wrong operators are compared with PyTorch', () => {
    expect(caseOperators.filter(({ wrong }) => wrong !== '').length).toBeGreaterThanOrEqual(40)
  })

  it.each(caseOperators.map((operator) => [operator.op, operator] as const))(
    "the verdicts on %s equal PyTorch's",
    async (_op, operator) => {
      const row = await rowOfCase(operator)
      expectSameVerdicts(row.cells)
      expectSameVerdicts(row.gradients?.cells ?? {})
      if (operator.wrong === '') {
        expect(row.found).toEqual([])
        expect(pythonPasses(row), 'PyTorch finds fault with a right operator').toBe(true)
      } else {
        expect(row.found).not.toEqual([])
      }
    },
  )
})

it.each(samples)('the checks of the sample %s give what its opsmith.json expects', skipsOfSample)

it('the table in docs is up to date', async () => {
  const wrong: WrongRow[] = []
  for (const operator of caseOperators) wrong.push(await rowOfCase(operator))
  const libtorch: GradientRow[] = []
  for (const name of libtorchCases.keys()) libtorch.push(await rowOfLibtorch(name))
  const faults = wrong.filter((row) => row.wrong !== '')
  const gradients = wrong.flatMap((row) => row.gradients ?? [])
  const compared = countOf([...gradients, ...libtorch, ...wrong.map(operatorCheckRow)])
  console.log(
    `${libtorch.length} calls of libtorch's operators, ${faults.length} wrong operators and ` +
      `${wrong.length - faults.length} right ones: ${compared.compared} verdicts of checks that ` +
      `PyTorch has too, ${compared.stricter} stricter than its; ` +
      `${faults.filter(pythonPasses).length} wrong operators pass all of PyTorch's checks, ` +
      `${faults.filter((row) => row.found.length === 0).length} all of ours`,
  )
  const file = path.join(root, 'docs/check-parity.md')
  const operators = new Set(skips.map(({ op }) => op)).size
  const text =
    parityDocument(wrong, libtorch) + hiddenSection(python) + skipsSection(skips, operators)
  await expect(text).toMatchFileSnapshot(file)
})
