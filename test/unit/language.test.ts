import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import type { Diagnostic } from '../../electron/contract/diagnostics'
import type { CompileTask } from '../../electron/engine/compile/compile-task'
import type { BuildPlan } from '../../electron/engine/compile/plan'
import { compileCommands } from '../../electron/engine/language/clangd/compile-commands'
import {
  fromCompletion,
  fromDiagnostic,
  fromRange,
  toPosition,
  toRange,
} from '../../electron/engine/language/clangd/convert'
import { mentionsLeft, wordAt } from '../../electron/engine/language/clangd/mentions'
import { mergeProblems } from '../../renderer/store/merge-problems'
import { tokensOf } from '../../renderer/editor/language/tokens'

const file = '/p/op.cpp'
const built = (change: Partial<Diagnostic>): Diagnostic => ({
  severity: 'error',
  file,
  line: 3,
  column: 10,
  message: "use of undeclared identifier 'x'",
  source: 'clang',
  code: '',
  notes: [],
  ...change,
})
const said = (change: Partial<Diagnostic>): Diagnostic =>
  built({ source: 'clangd', endLine: 3, endColumn: 11, ...change })

const fix = {
  title: "change 'x' to 'y'",
  edits: [{ file, line: 3, column: 10, endLine: 3, endColumn: 11, text: 'y' }],
}

describe('the merged list of problems', () => {
  const asBuilt = { good: false, isAsBuilt: () => true }
  const edited = { good: false, isAsBuilt: () => false }

  it("a problem that both report is shown once, with the compiler's words and clangd's fixes", () => {
    const merged = mergeProblems([built({})], { [file]: [said({ fixes: [fix] })] }, asBuilt)
    expect(merged).toEqual([built({ fixes: [fix], endLine: 3, endColumn: 11 })])
  })

  it('the same problem is recognized with other words, columns and letter case', () => {
    const pairs: [Partial<Diagnostic>, Partial<Diagnostic>][] = [
      [{ column: 0 }, { message: "use of undeclared identifier 'x'; did you mean 'y'?" }],
      [{ column: 1, message: 'Use of undeclared identifier ‘x’' }, {}],
      [
        { severity: 'warning', code: '-Wunused-variable', message: 'unused variable x', column: 2 },
        { severity: 'warning', code: '-Wunused-variable', message: "unused variable 'x'" },
      ],
      [
        {
          message: 'x is not known here',
          raw: "error: use of undeclared identifier 'x'",
          column: 1,
        },
        {},
      ],
      [{ column: 1, message: 'no type' }, { message: 'in included file: no type' }],
    ]
    for (const [ours, theirs] of pairs) {
      expect(mergeProblems([built(ours)], { [file]: [said(theirs)] }, asBuilt)).toHaveLength(1)
    }
  })

  it('two problems on one line stay separate', () => {
    const other = said({ column: 20, message: 'no matching function for call to f' })
    expect(mergeProblems([built({})], { [file]: [other] }, asBuilt)).toEqual([built({}), other])
    const warning = said({ severity: 'warning' })
    expect(mergeProblems([built({})], { [file]: [warning] }, asBuilt)).toHaveLength(2)
  })

  it("the compiler's problems disappear where the text was edited, and only there", () => {
    const elsewhere = built({ file: '/p/other.cpp' })
    const merged = mergeProblems([built({}), elsewhere], { [file]: [] }, edited)
    expect(merged).toEqual([elsewhere])
    // Nothing stands in its place: it stays, and the panel says that it is older.
    expect(mergeProblems([built({})], {}, edited)).toEqual([built({})])
  })

  it("clangd's errors are hidden in a text that the compiler has just accepted", () => {
    const good = { good: true, isAsBuilt: () => true }
    const warning = said({ severity: 'warning', message: 'included header is not used' })
    expect(mergeProblems([], { [file]: [said({}), warning] }, good)).toEqual([warning])
    expect(mergeProblems([], { [file]: [said({})] }, { ...good, isAsBuilt: () => false })).toEqual([
      said({}),
    ])
  })
})

describe('places in a text', () => {
  it('places count from 1 here and from 0 in the protocol', () => {
    const range = { line: 3, column: 1, endLine: 4, endColumn: 7 }
    expect(toPosition(range)).toEqual({ line: 2, character: 0 })
    expect(fromRange(toRange(range))).toEqual(range)
  })

  it('the places of names are found in a text', () => {
    const text = 'int a_b = f(a_b);\r\nauto c = a_b2;'
    expect(wordAt(text, 1, 5)).toBe('a_b')
    expect(wordAt(text, 1, 8)).toBe('a_b') // just behind it
    expect(wordAt(text, 1, 9)).toBe('')
    expect(wordAt(text, 2, 12)).toBe('a_b2')
    expect(wordAt(text, 9, 1)).toBe('')
    const edits = [{ file, line: 1, column: 5, endLine: 1, endColumn: 8, text: 'n' }]
    expect(mentionsLeft(file, `${text} // a_b`, 'a_b', edits)).toEqual([
      { file, line: 1, column: 13, endLine: 1, endColumn: 16 },
    ])
  })

  it('semantic tokens stay at their places where some are left out', () => {
    const legend = { types: ['bracket', 'parameter'], modifiers: ['readonly', 'fileScope'] }
    const data = [0, 2, 1, 0, 0, 0, 3, 4, 1, 3, 2, 1, 1, 0, 0, 0, 4, 2, 1, 0]
    expect([...tokensOf({ legend, data })]).toEqual([0, 5, 4, 1, 2, 2, 5, 2, 1, 0])
  })
})

describe('answers of clangd', () => {
  it('a diagnostic has its notes and fixes', () => {
    const range = { start: { line: 2, character: 9 }, end: { line: 2, character: 10 } }
    const uri = 'file:///p/op.cpp'
    const diagnostic = fromDiagnostic(file, {
      range,
      severity: 1,
      code: 'undeclared_var_use_suggest',
      source: 'clang',
      message: "Use of undeclared identifier 'x'; did you mean 'y'? (fix available)",
      relatedInformation: [{ location: { uri, range }, message: "'y' declared here" }],
      codeActions: [
        { title: "change 'x' to 'y'", edit: { changes: { [uri]: [{ range, newText: 'y' }] } } },
      ],
    })
    expect(diagnostic).toEqual(
      said({
        message: "use of undeclared identifier 'x'; did you mean 'y'?",
        fixes: [fix],
        notes: [{ severity: 'note', file, line: 3, column: 10, message: "'y' declared here" }],
      }),
    )
  })

  it('a completion has its name separate from its parameters', () => {
    const caret = { line: 1, column: 4, endLine: 1, endColumn: 4 }
    const item = fromCompletion(
      {
        label: ' empty_like(const at::Tensor &self)',
        filterText: 'empty_like',
        kind: 3,
        insertText: 'empty_like($1)',
        insertTextFormat: 2,
        detail: 'at::Tensor',
      },
      caret,
    )
    expect(item).toMatchObject({
      label: 'empty_like',
      labelDetail: '(const at::Tensor &self)',
      snippet: true,
      range: caret,
    })
  })
})

describe('compile commands', () => {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-commands-'))
  afterAll(() => {
    fs.rmSync(cache, { recursive: true })
  })
  const headers = path.join(cache, 'include/k/include')
  fs.mkdirSync(path.join(headers, 'opsmith'), { recursive: true })
  fs.writeFileSync(path.join(headers, 'opsmith/prelude_lean.h'), '')
  const task = (change: Partial<CompileTask>): CompileTask => ({
    label: '',
    command: '/usr/bin/clang++-19',
    source: 'op.cpp',
    key: '',
    args: ['-include-pch', `${cache}/precompiled/k/lean.pch`, '-Xclang', '-fno-validate-pch'],
    server: undefined,
    ...change,
  })
  const of = (compiles: CompileTask[], family: 'clang' | 'g++' = 'clang'): string[][] =>
    compileCommands(
      {
        compiles,
        tools: {
          installation: { cacheFolder: cache },
          includes: { folder: path.dirname(headers), key: 'k' },
          toolchain: {
            compiler: { family, path: family === 'clang' ? '/usr/bin/clang++-19' : '/usr/bin/g++' },
            cuda: { folder: '/usr/local/cuda', nvcc: '/usr/local/bin/nvcc', version: '13.0' },
          },
        },
      } as unknown as BuildPlan,
      '/p',
    ).map((one) => one.arguments)

  it('the commands include the header instead of its precompiled form', () => {
    const base = ['-std=c++20', '-I', 'a b', '-fpass-plugin=x.so', '-ftime-trace']
    const [words] = of([task({ args: [...task({}).args, ...base] })])
    expect(words).toEqual([
      '/usr/bin/clang++-19',
      '-include',
      path.join(headers, 'opsmith/prelude_lean.h'),
      '-std=c++20',
      '-I',
      'a b',
      '-c',
      'op.cpp',
    ])
    const gcc = ['-include', `${cache}/precompiled/k/lean.h`, '-Winvalid-pch', '-fno-gnu-unique']
    expect(
      of([task({ command: '/usr/bin/g++', args: [...gcc, '-fopenmp', '-O2'] })], 'g++'),
    ).toEqual([
      [
        '/usr/bin/g++',
        '-include',
        path.join(headers, 'opsmith/prelude_lean.h'),
        '-O2',
        '-c',
        'op.cpp',
      ],
    ])
  })

  it("commands name the project's own sources, and bound ones include torch/extension.h first", () => {
    const words = of([
      task({ source: `${cache}/generated/opsmith_bind_op.cpp`, around: 'op.cpp', args: [] }),
      task({ source: `${headers}/opsmith/autograd.cpp` }),
    ])
    expect(words).toEqual([
      ['/usr/bin/clang++-19', '-include', 'torch/extension.h', '-c', 'op.cpp'],
    ])
  })

  it('the commands of CUDA sources are for clang', () => {
    const args = ['-std=c++20', '-Xcompiler', '-fPIC', '-lineinfo', '-I', 'include', '-DN=1']
    const [words = []] = of([task({ command: '/usr/local/bin/nvcc', source: 'k.cu', args })])
    expect(words.slice(0, 5)).toEqual([
      '/usr/bin/clang++-19',
      '-x',
      'cuda',
      '--cuda-host-only',
      '-nocudalib',
    ])
    expect(words).toEqual(expect.arrayContaining(['--cuda-path=/usr/local/cuda', '-DN=1']))
    expect(words).not.toContain('-Xcompiler')
    const folder = words[words.indexOf('-idirafter') + 1] ?? ''
    expect(fs.existsSync(path.join(folder, 'texture_fetch_functions.h'))).toBe(true)
  })
})
