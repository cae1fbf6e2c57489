import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { changeChoice } from '../../renderer/features/graph/graph'
import { chooseBenchmark } from '../../renderer/features/timings/run'
import { MainAction } from '../../renderer/shell/primitives/MainAction'
import { commandStore, runCommand, shortcutText } from '../../renderer/store/commands'
import { panelFeatures } from '../../renderer/store/feature'
import { testGroups } from '../../renderer/store/tests'
import { crashed } from './support/answers'
import { build, main, open, show } from './support/window'

/** A built project with something to do for every panel. */
async function openProject(): Promise<void> {
  const call = { op: 'my_op::f', args: ['x'] }
  await open({ gradchecks: [call], benchmarks: [call], checks: [call] })
  await build()
  // What panels ask for as soon as they are shown.
  main.refuse('graph.capture', crashed)
  main.refuse('assembly.list', crashed)
  main.refuse('gradcheck.run', crashed)
  main.give('project.samples', [])
  act(() => {
    changeChoice({ entry: 'my_op::f' })
    chooseBenchmark(0)
  })
  await waitFor(() => expect(testGroups().some(({ rows }) => rows.length > 0)).toBe(true))
}

function isKey(text: string): boolean {
  const { commands } = commandStore.getState()
  return commands.some(({ shortcut }) => shortcut !== undefined && shortcutText(shortcut) === text)
}

/** Buttons after the action in its row, except for the panel's menu and size. */
function buttonsAfter(action: Element): (string | null)[] {
  const row = [...(action.parentElement?.children ?? [])]
  const after = row.slice(row.indexOf(action) + 1)
  return after
    .flatMap((part) => (part.matches('button') ? [part] : [...part.querySelectorAll('button')]))
    .filter((button) => !button.matches('[aria-haspopup=menu], [data-testid$=-enlarge]'))
    .map((button) => button.textContent)
}

describe('the main action of a panel', () => {
  it('is at the right end of its row in every panel, and shows its key', async () => {
    await openProject()
    const found: string[] = []
    for (const { id, panel } of panelFeatures()) {
      // The others are logs, and panels of the window itself.
      if (panel.area !== 'left' && panel.area !== 'right') continue
      show(id)
      const actions = screen.queryAllByTestId('main-action')
      expect(actions.length, id).toBeLessThan(2)
      for (const action of actions) {
        found.push(id)
        const button = await within(action).findByRole('button', {
          name: (name) => name !== 'Stop',
        })
        const key = button.querySelector('kbd')?.textContent ?? ''
        expect(isKey(key), `${id}: “${key}”`).toBe(true)
        expect(button.getAttribute('title'), id).toContain(`(${key})`)
        expect(buttonsAfter(action), id).toEqual([])
      }
      cleanup()
    }
    expect(found.toSorted()).toEqual([
      'export',
      'gradcheck',
      'graph',
      'operator-checks',
      'profile',
      'pytest',
      'run',
      'tests',
      'timings',
    ])
  })

  function CheckAll({ running, onStop }: { running: string | null; onStop: () => void }) {
    return (
      <MainAction
        text="Check all"
        title="Checks all"
        command="gradcheck.all"
        job={{ running, startedAt: Date.now() }}
        steps={{ done: 2, total: 5 }}
        onStart={() => undefined}
        onStop={onStop}
        testId="start"
        stopTestId="stop"
      />
    )
  }

  it('says how far it is while it works, and stops it', async () => {
    let stopped = 0
    render(<CheckAll running="1" onStop={() => stopped++} />)
    await waitFor(() => {
      expect(screen.getByRole('status').textContent).toContain('2 of 5')
    })
    expect(screen.queryByTestId('start')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
    expect(stopped).toBe(1)
  })

  it('shows work at once after a click, and what runs by itself only if it lasts 0.3 s', async () => {
    const stop = (): undefined => undefined
    const { rerender } = render(<CheckAll running="1" onStop={stop} />)
    expect(screen.queryByTestId('stop')).toBeNull()
    rerender(<CheckAll running={null} onStop={stop} />)
    await userEvent.click(screen.getByTestId('start'))
    rerender(<CheckAll running="2" onStop={stop} />)
    expect(screen.getByTestId('stop')).toBeTruthy()
    rerender(<CheckAll running={null} onStop={stop} />)
    rerender(<CheckAll running="3" onStop={stop} />)
    expect(screen.queryByTestId('stop')).toBeNull()
    expect(await screen.findByTestId('stop')).toBeTruthy()
  })

  it('assembly: its key shows the panel, which follows the cursor again', async () => {
    main.refuse('assembly.list', crashed)
    await open()
    await build()
    show('assembly')
    const follow = screen.getByRole('checkbox', { name: 'follow the cursor' })
    await userEvent.click(follow)
    expect(follow).toHaveProperty('checked', false)
    act(() => runCommand('assembly.cursor'))
    expect(follow).toHaveProperty('checked', true)
    expect(follow.closest('label')?.title).toContain('(Ctrl+Alt+A)')
  })
})
