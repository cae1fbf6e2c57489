import { describe, expect, it } from 'vitest'

import { applyDiff, printsAsShown, stepsOf } from '../support/shown-commands'

describe('the steps of a document', () => {
  it('are its commands with what they print, its files and its edits', () => {
    const steps = stepsOf(
      [
        'Text',
        '```console',
        '$ opsmith build .',
        'built',
        '',
        '$ cd build',
        '```',
        '<!-- file: a/op.cpp -->',
        '```cpp',
        'int x;',
        '```',
        '<!-- edit: a/op.cpp -->',
        '```diff',
        '-int x;',
        '+int y;',
        '```',
        '<!-- needs: nvcc -->',
        '```console',
        '$ nvcc --version',
        '```',
        '```json',
        '{}',
        '```',
      ].join('\n'),
    )
    expect(steps).toEqual([
      { kind: 'command', command: 'opsmith build .', shown: ['built'], line: 3, needs: '' },
      { kind: 'command', command: 'cd build', shown: [], line: 6, needs: '' },
      { kind: 'file', file: 'a/op.cpp', text: ['int x;'], line: 10 },
      { kind: 'edit', file: 'a/op.cpp', text: ['-int x;', '+int y;'], line: 14 },
      { kind: 'command', command: 'nvcc --version', shown: [], line: 19, needs: 'nvcc' },
    ])
  })

  it('an edit changes the one place that is like it', () => {
    expect(applyDiff('a\nb\nc\n', [' a', '-b', '+B', '+D'])).toBe('a\nB\nD\nc\n')
    expect(() => applyDiff('b\nb\n', ['-b', '+c'])).toThrow('2 places')
    expect(() => applyDiff('a\n', ['-b', '+c'])).toThrow('0 places')
  })
})

describe('what a command prints', () => {
  it('is as shown in spite of times, versions, rounding and a cached compile', () => {
    const printed = [
      '  compile op.cpp: unchanged',
      'built in 0.02 s with clang 19.1.7, libtorch 2.13.0+cpu',
      'ok     cube(x): 8 passed; largest error 1.78e-10; 0.01 s, 1.0916463548002613',
    ]
    const shown = [
      '  compile op.cpp …',
      '  compile op.cpp: 11.33 s',
      'built in 12.5 s with clang 20.0, libtorch 2.14.0',
      'ok     cube(x): 8 passed; largest error 2.01e-10; 1 s, 1.0916463548002999',
    ]
    expect(printsAsShown(printed, shown)).toBe(true)
  })

  it.each([
    ['a number that counts', ['8 passed'], ['9 passed']],
    ['a line that is missing', ['a'], ['a', 'b']],
    ['a line that is not shown', ['a', 'b'], ['a']],
    ['a line that is not among those left out', ['a', 'c'], ['…', 'b']],
  ])('%s is a difference', (_what, printed, shown) => {
    expect(printsAsShown(printed, shown)).toBe(false)
  })

  it('… is any lines, or none', () => {
    expect(printsAsShown(['a', 'b', 'c'], ['…', 'c'])).toBe(true)
    expect(printsAsShown(['c'], ['…', 'c', '…'])).toBe(true)
  })
})
