import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ReactElement } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { keepFocus } from '../../renderer/shell/keep-focus'
import { layoutStore, type Dock } from '../../renderer/store/layout'

let stop: () => void = () => undefined
beforeEach(() => {
  stop = keepFocus()
})
afterEach(() => {
  cleanup()
  stop()
  act(() => layoutStore.setState({ dock: null }))
})

const focused = (): string => document.activeElement?.textContent ?? ''
const focusedSoon = (text: string): Promise<void> => waitFor(() => expect(focused()).toBe(text))

/** Two panels and a dialog; what a button does is decided by the test. */
function Parts({ work }: { work?: Promise<void> }): ReactElement {
  const [rows, setRows] = useState(['one', 'two', 'three'])
  const [shown, setShown] = useState(true)
  const [asks, setAsks] = useState(false)
  const [works, setWorks] = useState(false)
  return (
    <>
      <div className="tool" data-testid="list">
        <ul>
          {rows.map((row) => (
            <li key={row}>
              <button onClick={() => setRows(rows.filter((one) => one !== row))}>{row}</button>
            </li>
          ))}
        </ul>
      </div>
      {shown && (
        <div className="tool">
          <button onClick={() => setShown(false)}>close</button>
          <button onClick={() => setAsks(true)}>ask</button>
          <button
            disabled={works}
            onClick={() => {
              setWorks(true)
              void work?.then(() => setWorks(false))
            }}
          >
            work
          </button>
        </div>
      )}
      {asks && (
        <div role="dialog">
          <button autoFocus onClick={() => setAsks(false)}>
            answer
          </button>
        </div>
      )}
      <p>text</p>
    </>
  )
}

const press = async (name: string): Promise<void> => {
  screen.getByRole('button', { name }).focus()
  await userEvent.keyboard('{Enter}')
}

describe('the keyboard stays in the window', () => {
  it('after a row is removed, the next row has it, and after the last one the row before', async () => {
    render(<Parts />)
    await press('two')
    await focusedSoon('three')
    await userEvent.keyboard('{Enter}')
    await focusedSoon('one')
  })

  it('a list without rows takes it itself', async () => {
    render(<Parts />)
    for (const name of ['one', 'two', 'three']) await press(name)
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('list')))
  })

  it('a dialog that closes gives it to what opened the dialog', async () => {
    render(<Parts />)
    await press('ask')
    expect(focused()).toBe('answer')
    await userEvent.keyboard('{Enter}')
    await focusedSoon('ask')
  })

  it('a panel that closes gives it to the place before', async () => {
    render(<Parts />)
    screen.getByRole('button', { name: 'two' }).focus()
    await press('close')
    await focusedSoon('two')
  })

  it('without a place before, the panel in front gets it', async () => {
    const focusActive = vi.fn()
    act(() => layoutStore.setState({ dock: { focusActive } as unknown as Dock }))
    render(<Parts />)
    await press('close')
    await waitFor(() => expect(focusActive).toHaveBeenCalledOnce())
  })

  it('a button that is disabled while it works gets it back', async () => {
    let end = (): void => undefined
    const work = new Promise<void>((resolve) => {
      end = resolve
    })
    render(<Parts work={work} />)
    await press('work')
    const button = screen.getByText('work')
    expect(button.matches(':disabled')).toBe(true)
    // Browsers take it away in the next frame.
    const has = vi.spyOn(document, 'activeElement', 'get').mockReturnValue(document.body)
    const focus = vi.spyOn(button, 'focus')
    await act(async () => end())
    await waitFor(() => expect(focus).toHaveBeenCalledOnce())
    has.mockRestore()
  })

  it('a click on nothing leaves it nowhere', async () => {
    render(<Parts />)
    screen.getByRole('button', { name: 'two' }).focus()
    await userEvent.click(screen.getByText('text'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(document.activeElement).toBe(document.body)
  })
})
