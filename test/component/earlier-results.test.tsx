import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import { followChoices } from '../../renderer/shell/layouts'
import { followResults, keepResultsNow, stopFollowing } from '../../renderer/store/earlier-results'
import { forgetResults } from '../../renderer/store/loop'
import { findingOf, outcomeOf, reportOf } from '../unit/gradcheck-samples'
import { comparisonOf, folder, runOf } from './support/answers'
import { build, main, open, show } from './support/window'

/** Opens the project as a window does that was closed before; `kept` is what that one left. */
async function reopen(kept: string): Promise<void> {
  main.give('results.read', kept)
  main.answer('results.keep', () => ok({}))
  await open({ gradchecks: [{ op: 'my_op::f', args: ['x'] }] })
  await act(() => followResults(folder))
}

/** What the window leaves of the project that it shows. */
async function leave(): Promise<string> {
  await keepResultsNow()
  act(() => {
    stopFollowing()
    forgetResults()
  })
  return main.asked('results.keep').at(-1)?.text ?? ''
}

function giveTensors(): void {
  const page = { rows: 2, columns: 2, rowStart: 0, columnStart: 0, pageRows: 2, pageColumns: 2 }
  main.give('tensor.page', { ...page, values: [-1, 0, 1, 4] })
  main.give('tensor.histogram', { edges: [-1, 1.5, 4], counts: [3, 1] })
}

/** A session in which the call was made; its largest relative error is no finite number. */
async function firstSession(): Promise<string> {
  giveTensors()
  main.give(
    'operator.run',
    runOf({ seconds: 0.321, comparisons: [comparisonOf({ maxRelative: Infinity })] }),
  )
  const report = { ...reportOf([findingOf({ maxAbsolute: 2e-9 })]), error: 2e-9 }
  main.give('gradcheck.runAll', [outcomeOf(0, report)])
  await reopen('')
  await build()
  show('run')
  await userEvent.click(screen.getByTestId('run-go'))
  await screen.findByText('Result')
  return await leave()
}

describe('a project that is opened again', () => {
  it('shows the results of the session before, with their time, until there are new ones', async () => {
    const kept = await firstSession()
    await reopen(kept)
    expect(screen.getByTestId('stale-bar').textContent).toMatch(
      /^Result of an earlier session: \d\d:\d\d\.Run$/,
    )
    expect(screen.getByTestId('run-summary').textContent?.includes('0.32 s')).toBeTruthy()
    // The op host that held the values is gone.
    expect(
      screen.getByText(/The values are gone: the process that held them has exited/),
    ).toBeTruthy()
    await build()
    expect(main.asked('operator.run')).toHaveLength(1)
    await userEvent.click(screen.getByTestId('run-go'))
    await waitFor(() => expect(screen.queryByTestId('stale-bar')).toBeNull())
    await leave()
  })

  it('keeps the verdicts of the lists, which count for nothing until they are made again', async () => {
    const kept = await firstSession()
    await reopen(kept)
    show('gradcheck')
    const row = screen.getByTestId('gradcheck-entry-0')
    expect(row.textContent).toContain('passed')
    expect(row.dataset['verdict']).toBe('')
    await leave()
  })

  it('begins without results where what was kept cannot be read', async () => {
    for (const kept of ['{', '[]', '{"run":"{}","gradcheck":"3"}']) {
      await reopen(kept)
      await leave()
    }
    await reopen('{"run":"{}"}')
    show('run')
    expect(screen.queryByText('Result')).toBeNull()
    await leave()
  })

  it('has what was typed into the fields', async () => {
    giveTensors()
    await open()
    const stop = followChoices(folder)
    await build()
    const first = show('run')
    await userEvent.clear(screen.getByTestId('run-reference'))
    await userEvent.type(screen.getByTestId('run-reference'), '3 * x')
    await userEvent.tab()
    first.unmount()
    stop()
    act(() => forgetResults())
    act(() => followChoices(folder)())
    show('run')
    expect(screen.getByTestId('run-reference')).toHaveProperty('value', '3 * x')
  })
})
