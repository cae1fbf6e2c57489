import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import {
  followView,
  forgetViews,
  keepViews,
  savedViews,
  viewStateOf,
} from '../../renderer/editor/view-states'

type Editor = Parameters<typeof followView>[1]

/** An editor that is scrolled to a line. */
function editorAt(line: number): { editor: Editor; scrollTo: (next: number) => void } {
  let top = line
  const listeners = new Set<() => void>()
  const listen = (listener: () => void): { dispose: () => void } => {
    listeners.add(listener)
    return { dispose: () => listeners.delete(listener) }
  }
  const editor = {
    saveViewState: () => ({
      cursorState: [],
      viewState: { scrollLeft: 0, firstPosition: { lineNumber: top, column: 1 } },
      contributionsState: {},
    }),
    onDidChangeCursorPosition: () => ({ dispose: () => undefined }),
    onDidScrollChange: listen,
  }
  return {
    editor: editor as unknown as Editor,
    scrollTo: (next) => {
      top = next
      for (const listener of listeners) listener()
    },
  }
}

const topOf = (path: string): unknown => viewStateOf(path)?.viewState.firstPosition?.lineNumber

beforeEach(() => {
  vi.useFakeTimers()
  forgetViews()
})
afterEach(() => {
  vi.useRealTimers()
})

it('a file that is opened in the next session is scrolled to where it was', () => {
  const { editor, scrollTo } = editorAt(1)
  const stop = followView('op.cpp', editor)
  scrollTo(120)
  vi.advanceTimersByTime(1_000)
  const written = JSON.stringify(savedViews.read())
  stop()
  forgetViews()
  expect(topOf('op.cpp')).toBeUndefined()
  savedViews.restore(JSON.parse(written))
  expect(topOf('op.cpp')).toBe(120)
})

it('what was scrolled in the last moment is kept when the window closes, and when a tab does', () => {
  const first = editorAt(1)
  const stop = followView('op.cpp', first.editor)
  first.scrollTo(40)
  keepViews()
  expect(topOf('op.cpp')).toBe(40)
  first.scrollTo(80)
  stop()
  expect(topOf('op.cpp')).toBe(80)
  first.scrollTo(90)
  vi.advanceTimersByTime(1_000)
  expect(topOf('op.cpp')).toBe(80)
})

it('the positions of forty files are kept, and those used longest ago are forgotten', () => {
  for (let index = 0; index <= 40; index += 1) followView(`${index}.cpp`, editorAt(7).editor)()
  expect(topOf('0.cpp')).toBeUndefined()
  expect(topOf('1.cpp')).toBe(7)
  expect(topOf('40.cpp')).toBe(7)
})

it('what an editor could not read is left out', () => {
  const state = { cursorState: [], viewState: { firstPosition: {} }, contributionsState: {} }
  savedViews.restore({ 'op.cpp': state, 'a.h': { ...state, viewState: {} }, 'b.h': 3 })
  expect(viewStateOf('op.cpp')).toEqual(state)
  expect(viewStateOf('a.h')).toBeNull()
  expect(viewStateOf('b.h')).toBeNull()
  savedViews.restore('3')
  expect(viewStateOf('op.cpp')).toEqual(state)
})
