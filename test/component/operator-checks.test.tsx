import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type {
  OperatorCheckOutcome,
  PlacedFinding,
  PlacedOperatorCheckReport,
} from '../../electron/contract/operator-check'
import { crashed, folder } from './support/answers'
import { build, expectNone, main, open, saveSource, show } from './support/window'
import type { GivenManifest } from './support/answers'

const entries = [{ op: 'my_op::f', args: ['x'] }]

function findingOf(more: Partial<PlacedFinding>): PlacedFinding {
  return {
    check: 'aliasing',
    status: 'passed',
    reason: 'no shared memory in 12 calls',
    advice: '',
    input: '',
    index: [],
    shownBy: '',
    ...more,
  }
}

const spec = { shape: [41], dtype: 'float64', distribution: 'zeros' } as never
const shownCase = { args: ['x'], inputs: { x: spec } }
const written = findingOf({
  check: 'mutation',
  status: 'failed',
  reason: 'x was written to',
  advice: 'Declare it in the schema: Tensor(a!) x.',
  input: 'x',
  index: [3],
  shownBy: 'x float64[41] of zeros',
  file: `${folder}/op.cpp`,
  line: 12,
})

function reportOf(findings: PlacedFinding[]): PlacedOperatorCheckReport {
  const ok = findings.every((finding) => finding.status !== 'failed')
  return { op: 'my_op::f', ok, seconds: 0.3, findings }
}

function outcomeOf(
  report: PlacedOperatorCheckReport,
  more: Partial<OperatorCheckOutcome> = {},
): OperatorCheckOutcome {
  const verdict = report.ok ? 'passed' : 'failed'
  return {
    entry: 0,
    name: 'my_op::f(x)',
    op: 'my_op::f',
    expect: 'passed',
    verdict,
    asExpected: report.ok,
    report,
    ...more,
  }
}

const good = reportOf([
  findingOf({}),
  findingOf({ check: 'nan', status: 'skipped', reason: 'no floats' }),
])
const bad = reportOf([written, findingOf({})])

/** The panel of a built project. */
async function openChecks(manifest: GivenManifest = {}): Promise<void> {
  await open(manifest)
  await build()
  show('operator-checks')
}

const verdict = (): string | undefined =>
  screen.getByTestId('operator-check-one-verdict').dataset['verdict']
const lastEntry = () => main.asked('operatorCheck.run').at(-1)?.entry

async function fill(testId: string, text: string): Promise<void> {
  const field = screen.getByTestId(testId)
  await userEvent.clear(field)
  await userEvent.type(field, `${text.replaceAll('[', '[[')}{Enter}`)
}

/** Of a stack: a place of the project. */
const frame = { address: '0x1', module: 'libmy_op.so', isUser: true, file: `${folder}/op.cpp` }

describe('the list of operator checks', () => {
  it('a project that was never built gets a hint to build', async () => {
    await open()
    show('operator-checks')
    expect(screen.getByText(/Build first/)).toBeTruthy()
    expectNone('operator-check-panel')
  })

  it('a project without operators has nothing to check', async () => {
    await openChecks()
    expect(screen.getByText('This project has no operators to check.')).toBeTruthy()
    expect(screen.getByText('Choose an operator to check.')).toBeTruthy()
  })

  it('entries are listed as not run until they are checked', async () => {
    main.give('operatorCheck.entries', [
      ...entries,
      { op: 'my_op::f', args: ['x'], checks: ['nan'], shapes: 0 },
    ])
    main.give('operatorCheck.runAll', [])
    main.hold('operatorCheck.run')
    await openChecks({ checks: entries })
    expect(screen.getByRole('button', { name: 'Checks 2' })).toBeTruthy()
    expect(screen.getByTestId('operator-check-entry-0').textContent).toContain('not run')
    expect(screen.getByTestId('operator-check-entry-1').textContent).toContain('nan')
    expect(await screen.findByText(/checking …/)).toBeTruthy()
  })

  it('outcomes arrive one by one, and the list counts what is as expected', async () => {
    main.give('operatorCheck.entries', [...entries, ...entries])
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    const all = main.hold('operatorCheck.runAll')
    await userEvent.click(screen.getByTestId('operator-check-sanitize'))
    await userEvent.click(screen.getByTestId('operator-check-thorough'))
    await userEvent.click(screen.getByTestId('operator-check-run'))
    const { job, sanitize, thorough } = await all.asked
    expect({ sanitize, thorough }).toEqual({ sanitize: true, thorough: true })
    act(() => {
      main.send('operatorCheck.progressed', { job, done: 1, total: 2, outcome: outcomeOf(bad) })
    })
    expect(screen.getByRole('progressbar', { name: 'Check all' })).toBeTruthy()
    expect(screen.getByTestId('operator-check-entry-0').dataset['verdict']).toBe('failed')
    await act(async () => {
      all.succeed([outcomeOf(bad), outcomeOf(good, { entry: 1 })])
      await Promise.resolve()
    })
    expect((await screen.findByTestId('operator-check-verdict')).textContent).toBe(
      '1 of 2 not as expected',
    )
    expect(verdict()).toBe('failed')
    saveSource()
    expectNone('operator-check-verdict')
    expect(screen.getByTestId('stale-bar').textContent).toContain('Built from older sources.')
    expect(screen.getByTestId('operator-check-entry-0').dataset['verdict']).toBe('')
  })

  it('what was skipped or did not run is no good news, and a call without arguments has no brackets', async () => {
    const alone = { op: 'my_op::g', args: [] }
    main.give('operatorCheck.entries', [...entries, alone, ...entries])
    main.give('operatorCheck.run', good)
    main.give('operatorCheck.runAll', [
      outcomeOf(good),
      outcomeOf(good, { entry: 1, op: 'my_op::g', name: 'my_op::g', verdict: 'skipped' }),
    ])
    await openChecks()
    expect(screen.getByTestId('operator-check-entry-1').textContent).toBe('not runmy_op::g')
    await userEvent.click(screen.getByTestId('operator-check-run'))
    const all = await screen.findByTestId('operator-check-verdict')
    expect(all.textContent).toBe('1 as expected, 1 skipped, 1 not run')
    expect(all.dataset['good']).toBe('false')
    main.give(
      'operatorCheck.runAll',
      [0, 1, 2].map((entry) => outcomeOf(good, { entry })),
    )
    await userEvent.click(screen.getByTestId('operator-check-run'))
    await screen.findByText('3 as expected')
    expect(screen.getByTestId('operator-check-verdict').dataset['good']).toBe('true')
  })

  it('checks that cannot be made show the reason', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    main.refuse('operatorCheck.runAll', { code: 'host.unavailable', message: 'No op host starts.' })
    await userEvent.click(screen.getByTestId('operator-check-run'))
    expect(await screen.findByText('No op host starts.')).toBeTruthy()
  })
})

describe('the findings of operator checks', () => {
  it('an operator that passes shows the counts, and its findings on demand', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    expect(verdict()).toBe('passed')
    expect(screen.getByTestId('operator-check-one-verdict').textContent).toContain(
      '1 passed, 1 skipped',
    )
    expect(screen.queryAllByTestId('operator-check-finding')).toEqual([])
    await userEvent.click(screen.getByLabelText('show all checks'))
    const statuses = screen
      .getAllByTestId('operator-check-finding')
      .map((row) => row.dataset['status'])
    expect(statuses).toEqual(['passed', 'skipped'])
  })

  it('a failure shows the reason, what to do, the inputs that show it and its line', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', bad)
    await openChecks()
    const finding = await screen.findByTestId('operator-check-finding')
    expect(finding.dataset).toMatchObject({ check: 'mutation', status: 'failed' })
    expect(finding.textContent).toContain('x was written to')
    expect(finding.textContent).toContain('Declare it in the schema: Tensor(a!) x.')
    expect(finding.textContent).toContain('inputx[3]')
    expect(finding.textContent).toContain('reproduced byx float64[41] of zeros')
    expect(within(finding).getByRole('button', { name: /op\.cpp:12/ })).toBeTruthy()
    // Without a case there is nothing to keep.
    expectNone('operator-check-keep')
  })

  it('a failure with a case can be kept', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', reportOf([{ ...written, shownCase }]))
    main.give('operatorCheck.keep', { entry: 1, added: true })
    await openChecks()
    await userEvent.click(await screen.findByTestId('operator-check-keep'))
    await waitFor(() => {
      expect(main.asked('operatorCheck.keep')).toHaveLength(1)
    })
    expect(main.asked('operatorCheck.keep')[0]?.failure).toMatchObject({
      check: 'mutation',
      shownCase: { inputs: { x: { shape: [41] } } },
    })
  })

  it('a sanitizer finding shows where it happened and where the memory came from', async () => {
    main.give('operatorCheck.entries', entries)
    main.give(
      'operatorCheck.run',
      reportOf([
        findingOf({
          check: 'address_sanitizer',
          status: 'failed',
          reason: 'reads 4 bytes past the end of input x (24 bytes)',
          sanitizer: {
            kind: 'heap-buffer-overflow',
            access: 'read',
            bytes: 4,
            stack: [{ ...frame, symbol: 'read_past(at::Tensor const&)', line: 9 }],
            allocated: [{ ...frame, symbol: 'made', line: 3 }],
            freed: [],
          },
        }),
      ]),
    )
    await openChecks()
    const finding = await screen.findByTestId('operator-check-finding')
    expect(finding.textContent).toContain('past the end of input x (24 bytes)')
    const stacks = screen.getByTestId('finding-stacks').textContent
    expect(stacks).toMatch(/happened inread_past op\.cpp:9allocated bymade op\.cpp:3/)
    expect(stacks).not.toContain('freed by')
  })

  it('what a checked kernel did wrong has both accesses, their lines and threads', async () => {
    main.give('operatorCheck.entries', entries)
    const thread = { block: [0, 0, 0] as const, thread: [3, 0, 0] as const }
    const kernel = {
      check: 'shared-race' as const,
      message: 'Two threads access shared memory.',
      remedy: 'Put __syncthreads() between the two accesses.',
      count: 1,
      place: { file: frame.file, line: 9 },
      thread: { block: [...thread.block], thread: [...thread.thread] },
      other: { file: frame.file, line: 7, what: 'write', thread: null },
      allocated: null,
      kernel: 'mirror',
      launched: null,
    }
    const reason = `shared-race: ${kernel.message}`
    const failed = { check: 'mutation' as const, status: 'failed' as const, reason }
    main.give(
      'operatorCheck.run',
      reportOf([findingOf({ ...failed, kernels: [kernel] as PlacedFinding['kernels'] })]),
    )
    await openChecks()
    await screen.findByTestId('operator-check-finding')
    expect(screen.getByTestId('finding-kernels').textContent).toBe(
      'shared-race Two threads access shared memory.atop.cpp:9 block (0, 0, 0), thread (3, 0, 0)writeop.cpp:7 ',
    )
  })

  it('a call that ended its process shows its stack', async () => {
    main.give('operatorCheck.entries', entries)
    main.give(
      'operatorCheck.run',
      reportOf([
        findingOf({
          check: 'layouts',
          status: 'failed',
          reason: 'the call ends in a memory fault, at op.cpp:9',
          stack: [{ ...frame, symbol: 'read_past(at::Tensor const&)', line: 9 }],
        }),
      ]),
    )
    await openChecks()
    await screen.findByTestId('operator-check-finding')
    expect(screen.getByTestId('finding-stacks').textContent).toBe('ended inread_past op.cpp:9')
  })

  it('inputs that were made from the schema are listed', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', {
      ...good,
      generated: { args: ['a'], inputs: { a: { shape: [3, 4], dtype: 'float32' } as never } },
    })
    await openChecks()
    expect((await screen.findByTestId('operator-check-generated')).textContent).toMatch(
      /Inputs made from the schema: a float32 \[3, 4\]/,
    )
  })

  it('an operator that refuses every call shows the reason and can be checked again', async () => {
    main.give('operatorCheck.entries', entries)
    main.refuse('operatorCheck.run', {
      code: 'operator.check',
      message: 'my_op::f refuses all of the 7 calls: not today',
    })
    await openChecks()
    const error = await screen.findByTestId('operator-check-error')
    expect(error.textContent).toContain('refuses all of the 7 calls: not today')
    main.give('operatorCheck.run', good)
    await userEvent.click(within(error).getByRole('button', { name: 'Check again' }))
    await screen.findByTestId('operator-check-one-verdict')
    expect(verdict()).toBe('passed')
  })

  it('an operator that ends the op host links to the crash', async () => {
    main.give('operatorCheck.entries', entries)
    main.refuse('operatorCheck.run', crashed)
    await openChecks()
    const error = await screen.findByTestId('operator-check-error')
    expect(within(error).getByRole('button', { name: 'Show the crash' })).toBeTruthy()
  })

  it('a stopped check leaves what was known before', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    const run = main.hold('operatorCheck.run')
    await fill('operator-check-shapes', '1000')
    const { job } = await run.asked
    await userEvent.click(await screen.findByTestId('operator-check-one-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    await screen.findByTestId('operator-check-one')
    expect(verdict()).toBe('passed')
    expectNone('operator-check-error')
  })
})

describe('the fields of an operator check', () => {
  it('a size that a shape names gets a range, and the edited case is checked at once', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    await userEvent.click(screen.getByTestId('operator-check-input-x'))
    await fill('input-x-shape', '[N]')
    expect(screen.getByTestId('operator-check-sizes')).toHaveProperty('value', 'N 1..8')
    await fill('operator-check-sizes', 'N 1..64')
    await fill('operator-check-shapes', '40')
    await waitFor(() => {
      expect(lastEntry()).toMatchObject({ sizes: { N: { min: 1, max: 64 } }, shapes: 40 })
    })
    expect(lastEntry()?.inputs?.['x']?.shape).toEqual(['N'])
    main.give('operatorCheck.keep', { entry: 1, added: true })
    await userEvent.click(screen.getByTestId('operator-check-keep-entry'))
    await waitFor(() => {
      expect(main.asked('operatorCheck.keep')[0]?.entry.shapes).toBe(40)
    })
  })

  it('a range whose end is below its start gets the reason in its field', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    const before = main.asked('operatorCheck.run').length
    await fill('operator-check-sizes', 'N 8..1')
    expect(screen.getByRole('alert').textContent).toMatch(/less than the start/)
    await userEvent.type(screen.getByTestId('operator-check-sizes'), '{Escape}')
    expect(screen.queryByRole('alert')).toBeNull()
    expect(main.asked('operatorCheck.run').length).toBe(before)
  })

  it('an argument that is no input gets the reason', async () => {
    main.give('operatorCheck.entries', entries)
    main.give('operatorCheck.run', good)
    await openChecks()
    await screen.findByTestId('operator-check-one-verdict')
    await fill('operator-check-args', 'nothing')
    expect((await screen.findByTestId('operator-check-error')).textContent).toContain(
      'There is no input "nothing"',
    )
  })
})
