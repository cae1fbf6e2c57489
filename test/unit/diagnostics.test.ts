import { describe, expect, it } from 'vitest'

import { mainLine } from '../../electron/engine/compile/build-messages'
import {
  missingHeader,
  parseCompilerOutput,
  parseLinkerOutput,
  placeInProject,
} from '../../electron/engine/compile/diagnostics'

describe('compiler messages', () => {
  it("clang's messages are read with their notes and flags", () => {
    const text = [
      "op.cpp:5:10: error: use of undeclared identifier 'z'",
      '    5 |   return z;',
      '      |          ^',
      "op.cpp:9:7: warning: unused variable 'q' [-Wunused-variable]",
      'util.h:2:5: note: candidate function not viable',
      '2 errors generated.',
    ].join('\n')
    const [error, warning, ...rest] = parseCompilerOutput(text, '/p', 'clang')
    expect(rest).toEqual([])
    expect(error).toMatchObject({
      severity: 'error',
      file: '/p/op.cpp',
      line: 5,
      column: 10,
      notes: [],
    })
    expect(warning).toMatchObject({
      severity: 'warning',
      code: '-Wunused-variable',
      message: "unused variable 'q'",
    })
    expect(warning?.notes[0]).toMatchObject({ file: '/p/util.h', line: 2 })
  })

  it('include and instantiation chains of g++ are read', () => {
    const text = [
      'In file included from op.cpp:1:',
      '/t/library.h: In instantiation of ‘void f(T)’:',
      'op.cpp:12:8:   required from here',
      '/t/library.h:40:5: error: static assertion failed: INVALID TYPE',
    ].join('\n')
    const [error] = parseCompilerOutput(text, '/p', 'g++')
    expect(error).toMatchObject({ file: '/t/library.h', line: 40 })
    expect(error?.notes.map((note) => note.line)).toEqual([1, 12])
  })

  it('an error inside a header is put at the line of the project that caused it', () => {
    const text = [
      '/t/infer.h:90:3: error: static assertion failed',
      'op.cpp:7:5: note: in instantiation of function template requested here',
    ].join('\n')
    const placed = parseCompilerOutput(text, '/p', 'clang').map((item) =>
      placeInProject(item, ['/p']),
    )
    expect(placed[0]).toMatchObject({
      file: '/p/op.cpp',
      line: 7,
      message: 'static assertion failed',
    })
    expect(placed[0]?.notes[0]).toMatchObject({ file: '/t/infer.h', line: 90 })
  })

  it('a missing header is recognized from both compilers', () => {
    expect(missingHeader("'opencv2/core.hpp' file not found")).toBe('opencv2/core.hpp')
    expect(missingHeader('opencv2/core.hpp: No such file or directory')).toBe('opencv2/core.hpp')
    expect(missingHeader('expected ;')).toBeUndefined()
  })
})

describe('linker messages', () => {
  it('an undefined symbol of lld is read with the line that uses it', () => {
    const text = [
      'ld.lld: error: undefined symbol: helper(int)',
      '>>> referenced by op.cpp:12 (/p/op.cpp:12)',
      '>>>               /cache/objects/a.o:(f(int))',
      'clang: error: linker command failed with exit code 1 (use -v to see invocation)',
    ].join('\n')
    const diagnostics = parseLinkerOutput(text, '/p')
    expect(diagnostics).toHaveLength(1)
    expect(diagnostics[0]).toMatchObject({ file: '/p/op.cpp', line: 12 })
    expect(diagnostics[0]?.message).toContain('undefined reference to helper(int)')
  })

  it('an undefined reference of GNU ld is read', () => {
    const text =
      "/usr/bin/ld: /tmp/a.o: in function `f(int)':\n/p/op.cpp:3: undefined reference to `helper(int)'"
    expect(parseLinkerOutput(text, '/p')[0]).toMatchObject({ file: '/p/op.cpp', line: 3 })
  })

  it('a missing library is named for every linker', () => {
    for (const text of [
      'ld.lld: error: unable to find library -lnosuch',
      '/usr/bin/ld: cannot find -lnosuch: No such file or directory',
      'mold: fatal: library not found: nosuch',
    ]) {
      expect(parseLinkerOutput(text, '/p')[0]?.message).toContain('library nosuch was not found')
    }
  })
})

it.each([
  [
    "fatal error: UTF-16 (LE) byte order mark detected in 'op.cpp'\n1 error generated.\n",
    /^fatal error: UTF-16/,
  ],
  ['nvcc fatal   : Unknown option\n', /^nvcc fatal/],
  ['Killed\n2 warnings generated.\n', /^Killed$/],
])('of an error without a place, the line that says most is shown', (output, line) => {
  expect(mainLine(output)).toMatch(line)
})
