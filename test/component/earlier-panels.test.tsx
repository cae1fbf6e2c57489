import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { AssemblyForm } from '../../electron/contract/assembly'
import type { ExportReport } from '../../electron/contract/export'
import { ok } from '../../electron/contract/outcome'
import type { PytestTest } from '../../electron/contract/pytest'
import { ExportBadge } from '../../renderer/features/export/ExportBadge'
import { commandStore } from '../../renderer/store/commands'
import { followResults, keepResultsNow, stopFollowing } from '../../renderer/store/earlier-results'
import { forgetResults } from '../../renderer/store/loop'
import { noteVisible } from '../../renderer/store/layout'
import { followChoices } from '../../renderer/shell/layouts'
import { sampleReport, sampleTrace } from '../unit/profile-samples'
import { comparisonOf, folder, runOf } from './support/answers'
import { build, expectNone, main, open, show } from './support/window'

/** Choices are kept by folder for as long as the window lives: each test has a folder of its own for them. */
let opened = 0

/** Shows a panel, does something in it, and opens the project again as the next window does. */
async function reopenAfter(feature: string, use: () => Promise<void>): Promise<void> {
  main.answer('results.keep', () => ok({}))
  main.give('results.read', '')
  opened += 1
  const place = `${folder}-${opened}`
  await open()
  const stop = followChoices(place)
  await act(() => followResults(folder))
  await build()
  const first = show(feature)
  await use()
  await act(() => keepResultsNow())
  first.unmount()
  stop()
  act(() => {
    noteVisible(feature, false)
    stopFollowing()
    forgetResults()
  })
  main.give('results.read', main.asked('results.keep').at(-1)?.text ?? '')
  await open()
  act(() => followChoices(place)())
  await act(() => followResults(folder))
  stopFollowing()
}

const canSaveTrace = (): boolean | undefined =>
  commandStore
    .getState()
    .commands.find(({ id }) => id === 'profile.save')
    ?.enabled?.()
const value = (testId: string): unknown => screen.getByTestId<HTMLInputElement>(testId).value
const isChecked = (testId: string): boolean => screen.getByTestId<HTMLInputElement>(testId).checked
const earlier = /^Result of an earlier session: \d\d:\d\d\./

function giveAssembly(): void {
  const kernel = { id: 'f', name: 'f', title: 'f', file: `${folder}/op.cpp`, line: 3, size: 8 }
  const rest = { rows: [], mix: [], architecture: '', tool: '', meanings: {}, loops: [] }
  const forms = (['machine', 'ptx'] as const).map((form) => ({ form, whyNot: '' }))
  main.give('assembly.list', { functions: [kernel], forms, compilers: [] })
  main.answer('assembly.show', ({ choice: { form } }) => ok({ form, function: kernel, ...rest }))
  main.give('assembly.remarks', [])
}

describe('the fields of a panel whose project is opened again', () => {
  it('Schemas has what was searched for, and where', async () => {
    await reopenAfter('schemas', async () => {
      await userEvent.type(screen.getByTestId('schemas-search'), 'CPU')
      await userEvent.click(screen.getByTestId('schemas-all'))
      await userEvent.type(await screen.findByTestId('registry-search'), 'aten mm')
    })
    show('schemas')
    expect(await screen.findByTestId('registry-search')).toHaveProperty('value', 'aten mm')
    await build()
    await userEvent.click(screen.getByTestId('schemas-project'))
    expect(value('schemas-search')).toBe('CPU')
  })

  it('Assembly has its form, its filters, and what it compares with', async () => {
    giveAssembly()
    const compared = main.hold('assembly.compare')
    await reopenAfter('assembly', async () => {
      await userEvent.click(await screen.findByTestId('assembly-form-ptx'))
      await userEvent.click(screen.getByTestId('assembly-show-addresses'))
      await userEvent.click(screen.getByTestId('assembly-show-labels'))
      await userEvent.selectOptions(screen.getByTestId('assembly-against'), 'flags:--use_fast_math')
      await compared.asked
      await userEvent.selectOptions(screen.getByTestId('assembly-base'), 'flags:-Xptxas -O1')
    })
    await build()
    show('assembly')
    await screen.findByTestId('assembly-name')
    const asked = main.asked('assembly.list').map(({ form }): AssemblyForm => form)
    expect(asked.at(-1)).toBe('ptx')
    expect(isChecked('assembly-show-addresses')).toBe(true)
    expect(isChecked('assembly-show-labels')).toBe(false)
    expect(value('assembly-against')).toBe('flags:--use_fast_math')
    expect(value('assembly-base')).toBe('flags:-Xptxas -O1')
  })

  it('Export has the chosen forms, and whether they are proven', async () => {
    const choice = {
      purpose: '',
      possible: true,
      reason: '',
      hint: '',
      obstacles: [],
      untried: [],
      wheelPerTorch: false,
    }
    main.give('export.forms', [
      { form: 'library', ...choice },
      { form: 'cmake', ...choice },
    ])
    await reopenAfter('export', async () => {
      await userEvent.click(await screen.findByTestId('export-choose-cmake'))
      await userEvent.click(screen.getByTestId('export-proof'))
    })
    show('export')
    await screen.findByTestId('export-choose-cmake')
    expect(isChecked('export-choose-cmake')).toBe(true)
    expect(isChecked('export-proof')).toBe(false)
  })

  it('Tests lists only what failed, and says that nothing did', async () => {
    main.give('operator.run', runOf({ comparisons: [comparisonOf({ matches: false })] }))
    await reopenAfter('tests', async () => {
      await userEvent.click(await screen.findByRole('button', { name: 'Run all calls' }))
      await userEvent.click(await screen.findByTestId('tests-only-failed'))
    })
    await build()
    show('tests')
    await waitFor(() => expect(screen.getAllByTestId('tests-row')).toHaveLength(1))
    main.give('operator.run', runOf())
    await userEvent.click(screen.getByRole('button', { name: 'Run all calls' }))
    expect(await screen.findByText('No test failed.')).toBeTruthy()
    expectNone('tests-row')
  })
})

describe('the results of a panel whose project is opened again', () => {
  const report = sampleReport({ profile: 3, backward: true })

  async function profile(): Promise<void> {
    await userEvent.click(await screen.findByTestId('profile-backward'))
    await userEvent.click(screen.getByTestId('profile-run'))
    await userEvent.click(await screen.findByTestId('profile-view-memory'))
  }

  it('Profile shows them for the same fields; only their trace cannot be saved', async () => {
    main.give('profile.run', report)
    await reopenAfter('profile', profile)
    show('profile')
    expect((await screen.findByTestId('stale-bar')).textContent).toMatch(earlier)
    expect(isChecked('profile-backward')).toBe(true)
    expect(screen.getByTestId('profile-view-memory').getAttribute('aria-selected')).toBe('true')
    expectNone('profile-other-fields')
    expect(canSaveTrace()).toBe(false)
    await build()
    // A build repeats what this session has shown only.
    expect(main.asked('profile.run')).toHaveLength(1)
    await userEvent.click(screen.getByTestId('profile-run'))
    await waitFor(() => expectNone('stale-bar'))
    expect(canSaveTrace()).toBe(true)
  })

  it('Profile keeps none that are too large', async () => {
    const trace = sampleTrace()
    const many = Array<number>(5_001).fill(0)
    const allocations = { time: many, bytes: many, device: many, event: many, block: many }
    main.give('profile.run', { ...report, trace: { ...trace, allocations } })
    await reopenAfter('profile', profile)
    await build()
    show('profile')
    await screen.findByTestId('profile-start')
    expect(isChecked('profile-backward')).toBe(true)
  })

  it('Pytest shows its tests as those of an earlier session, with the end of a long output', async () => {
    const test: PytestTest = {
      id: 'test_add.py::test_sum',
      file: `${folder}/test_add.py`,
      line: 4,
      outcome: 'failed',
      seconds: 0.25,
      message: 'not close',
      text: '',
      output: `${'begin '.repeat(1_000)}the end`,
      places: [],
    }
    main.give('pytest.run', {
      ok: false,
      python: '/usr/bin/python3',
      pytest: '9.0.3',
      torch: '2.13.0',
      library: '',
      replaced: [],
      tests: [test],
      calls: null,
      seconds: 2.5,
      ended: '',
      log: '',
    })
    await reopenAfter('pytest', async () => {
      await userEvent.click(screen.getByTestId('pytest-run-all'))
      await screen.findByTestId('pytest-summary')
    })
    show('pytest')
    expect((await screen.findByTestId('stale-bar')).textContent).toMatch(earlier)
    await userEvent.click(screen.getByText('test_sum'))
    const details = screen.getByTestId('pytest-details').textContent ?? ''
    expect(details).toContain('with older sources')
    expect(details).toMatch(/…\n[begin ]{3900,}the end/)
    await build()
    expect(main.asked('pytest.run')).toHaveLength(1)
  })

  it('Export shows the steps of each form, and counts no failure until it is exported again', async () => {
    const step = { name: 'build', status: 'failed' as const, reason: 'no cmake', seconds: 1 }
    const failed: ExportReport['forms'][number] = {
      form: 'library',
      ok: false,
      directory: '/exports/library',
      steps: [{ ...step, log: `${'x'.repeat(5_000)}the end` }],
      files: ['README.md'],
      products: [],
    }
    main.give('export.diff', [])
    main.give('export.run', { ok: false, seconds: 9, forms: [failed] })
    const choice = {
      purpose: '',
      possible: true,
      reason: '',
      hint: '',
      obstacles: [],
      untried: [],
      wheelPerTorch: false,
    }
    main.give('export.forms', [{ form: 'library', ...choice }])
    await reopenAfter('export', async () => {
      await screen.findByTestId('export-choose-library')
      await userEvent.click(screen.getByTestId('export-run'))
      await screen.findByTestId('export-verdict')
    })
    show('export')
    expect((await screen.findByTestId('stale-bar')).textContent).toMatch(earlier)
    expect(screen.getByTestId('export-result-library').dataset['state']).toBe('failed')
    expect(screen.getByText(/the end/).textContent?.length).toBeLessThan(4_100)
    render(<ExportBadge />)
    expect(screen.queryByRole('img', { name: '1 failed' })).toBeNull()
  })

  it('Tests shows the verdicts on calls, which count for nothing until they are run again', async () => {
    main.give('operator.run', runOf({ comparisons: [comparisonOf({ matches: false })] }))
    await reopenAfter('tests', async () => {
      await userEvent.click(await screen.findByRole('button', { name: 'Run all calls' }))
      await screen.findByTestId('tests-only-failed')
    })
    show('tests')
    const row = await screen.findByTestId('tests-row')
    await waitFor(() => expect(row.dataset['state']).toBe('old'))
    expect(row.textContent).toContain('differ from the reference')
  })
})
