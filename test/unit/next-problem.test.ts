import { beforeEach, expect, it } from 'vitest'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import { problemsCommands } from '../../renderer/features/problems/commands'
import { filesStore } from '../../renderer/store/files'
import { problemsStore } from '../../renderer/store/problems'

function problem(file: string, line: number, message: string): Diagnostic {
  return {
    severity: 'warning',
    source: 'lint',
    code: '',
    notes: [],
    file,
    line,
    column: 3,
    message,
  }
}

function press(id: string): void {
  void problemsCommands.find((command) => command.id === id)?.run()
}

/** The place that an editor was asked to go to; the caret is there afterwards. */
function reached(): string {
  const { reveal } = filesStore.getState()
  if (!reveal) return 'nowhere'
  filesStore.setState({ active: { path: reveal.path, line: reveal.line, column: 3 } })
  return `${reveal.path}:${reveal.line} ${reveal.message ?? ''}`
}

function go(...ids: string[]): string[] {
  return ids.map((id) => {
    press(id)
    return reached()
  })
}

beforeEach(() => {
  filesStore.setState({ active: null, reveal: null })
  problemsStore.setState({
    problems: [
      problem('b.cpp', 9, 'late'),
      problem('b.cpp', 2, 'one'),
      problem('b.cpp', 2, 'two'),
      problem('a.cpp', 5, 'other'),
      problem('', 0, 'the link'),
    ],
  })
})

it('F8 goes on from the caret, line after line and file after file, and begins again at the end', () => {
  filesStore.setState({ active: { path: 'b.cpp', line: 1, column: 1 } })
  const next = 'problems.next'
  expect(go(next, next, next, next, next)).toEqual([
    'b.cpp:2 one',
    'b.cpp:2 two',
    'b.cpp:9 late',
    'a.cpp:5 other',
    'b.cpp:2 one',
  ])
})

it('Shift+F8 goes back, past the first problem to the last', () => {
  filesStore.setState({ active: { path: 'b.cpp', line: 6, column: 1 } })
  const previous = 'problems.previous'
  expect(go(previous, previous, previous)).toEqual(['b.cpp:2 two', 'b.cpp:2 one', 'a.cpp:5 other'])
})

it('a caret that was moved decides what is next; a file without problems leads to the first', () => {
  expect(go('problems.next')).toEqual(['b.cpp:2 one'])
  filesStore.setState({ active: { path: 'a.cpp', line: 1, column: 1 } })
  expect(go('problems.next')).toEqual(['a.cpp:5 other'])
  filesStore.setState({ active: { path: 'c.cpp', line: 1, column: 1 } })
  expect(go('problems.next')).toEqual(['b.cpp:2 one'])
})

it('without a problem that has a place the editor stays where it is', () => {
  problemsStore.setState({ problems: [problem('', 0, 'the link')] })
  expect(go('problems.next', 'problems.previous')).toEqual(['nowhere', 'nowhere'])
})
