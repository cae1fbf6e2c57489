import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { followPlaces } from '../../renderer/shell/go-back'
import { filesStore } from '../../renderer/store/files'
import { layoutStore, openFile, openProblem, type Dock } from '../../renderer/store/layout'
import { buildOf, diagnosticOf } from './support/answers'
import { build, open, show } from './support/window'

let isFollowed = false
/** The panel that has the keyboard. */
let tool: string | null = null
const dock = {
  showFile: () => {
    tool = null
    return 'file'
  },
  showTool: vi.fn((id: string) => {
    tool = id
  }),
  activeTool: () => tool,
}

/** The caret as an editor reports it. */
function caret(path: string, line: number): void {
  act(() => filesStore.setState({ active: { path, line, column: 1 } }))
}

/** What the last jump asked the editor for; the editor answers with its caret. */
function arrive(): { path: string; line: number } {
  const { reveal } = filesStore.getState()
  if (!reveal) throw new Error('no editor was asked for a line')
  caret(reveal.path, reveal.line)
  return { path: reveal.path, line: reveal.line }
}

const back = (): Promise<unknown> => userEvent.keyboard('{Alt>}{ArrowLeft}{/Alt}')
const forward = (): Promise<unknown> => userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}')
/** Longer than a caret must rest. */
const rest = (): Promise<unknown> => act(() => new Promise((resolve) => setTimeout(resolve, 200)))

beforeEach(async () => {
  if (!isFollowed) followPlaces()
  isFollowed = true
  tool = null
  dock.showTool.mockClear()
  await open()
  act(() => layoutStore.setState({ dock: dock as unknown as Dock }))
})
afterEach(() => act(() => layoutStore.setState({ dock: null })))

describe('go back and forward', () => {
  it('leads through the places of jumps, in one file and another', async () => {
    caret('op.cpp', 5)
    act(() => openFile('op.cpp', 80))
    arrive()
    await rest()
    act(() => openFile('opsmith.json', 2))
    arrive()
    await rest()
    await back()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 80 })
    await back()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 5 })
    await forward()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 80 })
    // A jump from here forgets what was ahead.
    act(() => openFile('op.cpp', 200))
    arrive()
    await rest()
    filesStore.setState({ reveal: null })
    await forward()
    expect(filesStore.getState().reveal).toBeNull()
  })

  it('comes back to the row of Problems that led to a line', async () => {
    const second = diagnosticOf({ line: 40, message: 'unused variable' })
    await build({ build: buildOf({ ok: false, diagnostics: [diagnosticOf({}), second] }) })
    show('problems')
    caret('op.cpp', 1)
    tool = 'problems'
    const row = screen.getAllByTestId('problem-row')[1]
    act(() => row?.focus())
    await userEvent.keyboard('{Enter}')
    expect(arrive()).toEqual({ path: 'op.cpp', line: 40 })
    await rest()
    act(() => (document.activeElement as HTMLElement).blur())
    await back()
    expect(dock.showTool).toHaveBeenCalledExactlyOnceWith('problems', true)
    await waitFor(() => expect(document.activeElement).toBe(row))
    await back()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 1 })
  })

  it('leads from a panel that was opened by its key to the source', async () => {
    caret('op.cpp', 30)
    await rest()
    tool = 'run'
    await back()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 30 })
  })

  it('a caret that moves a little stays at one place', async () => {
    caret('op.cpp', 30)
    await rest()
    caret('op.cpp', 36)
    act(() => openProblem({ file: 'op.cpp', line: 90, column: 1, message: '' }))
    arrive()
    await rest()
    await back()
    expect(arrive()).toEqual({ path: 'op.cpp', line: 36 })
    filesStore.setState({ reveal: null })
    await back()
    expect(filesStore.getState().reveal).toBeNull()
  })
})
