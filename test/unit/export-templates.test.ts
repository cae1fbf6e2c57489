import { describe, expect, it } from 'vitest'

import type { Manifest } from '../../electron/contract/manifest'
import { manifest as manifestShape } from '../../electron/contract/manifest'
import type { OperatorDetail } from '../../electron/contract/operators'
import { compareVersions } from '../../electron/engine/project-export/elf'
import {
  joinTrees,
  readRecord,
  recordOf,
  treeIn,
  treeOf,
} from '../../electron/engine/project-export/file-tree'
import { operatorProgram } from '../../electron/engine/project-export/model-source'
import {
  nameClasses,
  nameOperators,
  npmPackage,
  pythonName,
  pythonPackage,
} from '../../electron/engine/project-export/templates/names'
import {
  pythonAssignment,
  pythonCall,
  pythonList,
  pythonTargets,
} from '../../electron/engine/project-export/templates/python-format'
import {
  parseMethod,
  parseSchemaType,
  pythonType,
  typescriptType,
} from '../../electron/engine/project-export/templates/schema-types'
import type { ExportedSources } from '../../electron/engine/project-export/exported-sources'
import { stableObstacles, usesStableAbi } from '../../electron/engine/project-export/stable-abi'
import { unifiedDiff } from '../../electron/engine/project-export/text-diff'

function manifestNamed(name: string, packageName?: string): Manifest {
  return manifestShape.parse({ name, sources: ['op.cpp'], ...(packageName && { packageName }) })
}

function operator(name: string, types: string[], overload = ''): OperatorDetail {
  const argument = (type: string, index: number): OperatorDetail['arguments'][number] => ({
    name: `a${index}`,
    type,
    kwargOnly: false,
  })
  return {
    name,
    overload,
    schema: '',
    doc: '',
    kernels: [],
    arguments: types.map(argument),
    returns: [argument('Tensor', 0)],
  }
}

describe('names of packages', () => {
  it.each([
    ['my_op', undefined, 'my_op'],
    ['my_op', 'my-op.kernels', 'my-op.kernels'],
  ])('pip accepts the project %s with the package name %s', (name, packageName, expected) => {
    expect(pythonPackage(manifestNamed(name, packageName))).toEqual({ ok: true, value: expected })
  })

  it.each([
    ['_hidden', 'at both ends'],
    ['class', 'a keyword of Python'],
    ['unittest', 'would hide the module unittest'],
  ])('pip refuses %s with the reason', (name, why) => {
    const refused = pythonPackage(manifestNamed('my_op', name))
    expect(refused).toMatchObject({ ok: false, error: { code: 'project.invalid' } })
    expect(refused.ok ? '' : refused.error.message).toContain(why)
    expect(refused.ok ? '' : refused.error.hint).toContain('packageName')
  })

  it('npm accepts lower case and scopes, and no leading underscore', () => {
    expect(npmPackage(manifestNamed('CalcOps'))).toEqual({ ok: true, value: 'calcops' })
    expect(npmPackage(manifestNamed('x', '@lab/ops'))).toEqual({ ok: true, value: '@lab/ops' })
    expect(npmPackage(manifestNamed('_x')).ok).toBe(false)
    expect(npmPackage(manifestNamed('x', 'My Ops')).ok).toBe(false)
  })
})

describe('names of operators', () => {
  it("an operator has its schema's name, with the namespace where two names are equal", () => {
    const names = nameOperators([
      operator('a::f', []),
      operator('b::f', []),
      operator('a::lambda', []),
      operator('a::g', [], 'out'),
    ]).map(({ name }) => name)
    expect(names).toEqual(['a_f', 'b_f', 'lambda_', 'g_out'])
    expect(pythonName('3d')).toBe('3d_')
  })
})

describe('types of schemas', () => {
  it.each([
    ['Tensor', 'Tensor', 'Tensor'],
    ['Tensor(a!)', 'Tensor', 'Tensor'],
    ['Tensor?[]', 'list[Tensor | None]', '(Tensor | null)[]'],
    ['int[2]', 'list[int]', '(number | bigint)[]'],
    ['float?', 'float | None', 'number | null'],
    ['(Tensor, int)', 'tuple[Tensor, int]', '[Tensor, number | bigint]'],
    ['Dict(str, Tensor)', 'dict[str, Tensor]', 'unknown'],
    ['__torch__.torch.classes.running.RunningStatistics', 'Any', 'unknown'],
  ])('the schema type %s has types in Python and TypeScript', (schema, python, typescript) => {
    const type = parseSchemaType(schema)
    expect(pythonType(type)).toBe(python)
    expect(typescriptType(type)).toBe(typescript)
  })

  it('an operator becomes a TorchScript function where TorchScript knows all its types', () => {
    expect(operatorProgram(operator('ns::f', ['Tensor', 'int[]', 'float?']))).toEqual({
      entry: 'call_f',
      program: {
        file: 'f.py',
        source:
          'def call_f(a0: Tensor, a1: List[int], a2: Optional[float]):\n    return torch.ops.ns.f(a0, a1, a2)\n',
      },
    })
    expect(operatorProgram(operator('ns::f', ['__torch__.torch.classes.a.B']))).toBeUndefined()
  })
})

describe('methods of classes', () => {
  const self = '__torch__.torch.classes.a.B _0'

  it('methods are read without self, with defaults and several results', () => {
    expect(parseMethod(`update(${self}, Tensor batch, int n=3) -> NoneType _0`)).toEqual({
      name: 'update',
      parameters: [
        { type: 'Tensor', name: 'batch' },
        { type: 'int', name: 'n', default: '3' },
      ],
      result: { kind: 'name', name: 'NoneType' },
    })
    const result = (schema: string): string => {
      const method = parseMethod(schema)
      return method ? pythonType(method.result, new Map([['a.B', 'B']])) : 'unread'
    }
    expect(result(`state(${self}) -> ((int, Tensor) _0)`)).toBe('tuple[int, Tensor]')
    expect(result(`copy(${self}) -> __torch__.torch.classes.a.B _0`)).toBe('B')
    expect(result(`reset(${self}) -> NoneType _0`)).toBe('None')
    expect(result('no schema')).toBe('unread')
  })

  it("a method's name differs from every operator and every other class", () => {
    const classes = ['a.B', 'a.f', 'b.C', 'c.C'].map((name) => ({ name, methods: [] }))
    expect([...nameClasses(classes, [operator('x::f', [])]).values()]).toEqual([
      'B',
      'a_f',
      'b_C',
      'c_C',
    ])
  })
})

/** As Black 25 and ruff 0.16 write the same. */
describe('generated Python', () => {
  const long = Array.from({ length: 4 }, (_, i) => `argument_${i}_of_some_length`)

  it('a call is one line, else its arguments are one line, else each argument is a line', () => {
    expect(pythonCall('    ', 'f', ['a', 'b'], ':')).toEqual(['    f(a, b):'])
    expect(pythonCall('', 'a_function_of_a_longer_name', long.slice(0, 3))).toEqual([
      'a_function_of_a_longer_name(',
      `    ${long.slice(0, 3).join(', ')}`,
      ')',
    ])
    expect(pythonCall('', 'f', long)).toEqual(['f(', ...long.map((one) => `    ${one},`), ')'])
    expect(pythonList(long, '    ').split('\n')).toEqual([
      '[',
      ...long.map((one) => `        "${one}",`),
      '    ]',
    ])
  })

  it('the targets of an assignment stay on one line', () => {
    expect(pythonTargets(['a'])).toBe('(a,)')
    expect(pythonAssignment('', 'a, b', 'f', ['x'])).toEqual(['a, b = f(x)'])
    const targets = pythonTargets(long.slice(0, 2))
    expect(pythonAssignment('', targets, 'module.function', long.slice(2))).toEqual([
      `${targets} = (`,
      `    module.function(${long.slice(2).join(', ')})`,
      ')',
    ])
  })
})

describe('a tree of files', () => {
  it('files are sorted, texts end with a newline, and a path that occurs twice is refused', () => {
    const one = treeOf({ 'b.txt': 'b', 'a.bin': Buffer.from([0, 1]) })
    const tree = joinTrees(one, treeIn('sub', treeOf({ c: 'c\n\n' })))
    expect([...tree.keys()]).toEqual(['a.bin', 'b.txt', 'sub/c'])
    expect(tree.get('b.txt')?.toString()).toBe('b\n')
    expect(tree.get('sub/c')?.toString()).toBe('c\n')
    expect(() => joinTrees(one, treeOf({ 'b.txt': '' }))).toThrow('b.txt')
  })

  it('a tree is remembered by the hashes of its files', () => {
    const tree = treeOf({ b: '1', a: '2' })
    const record = readRecord(recordOf('my_op', 'cmake', tree))
    expect(record).toMatchObject({ project: 'my_op', form: 'cmake' })
    expect(Object.keys(record?.files ?? {})).toEqual(['a', 'b'])
    expect(readRecord('{}')).toBeUndefined()
  })
})

describe('a unified diff', () => {
  it('the diff is what diff -u writes', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n'
    const after = 'a\nb\nc\nd\nE\nf\ng\nh\ni\n'
    expect(unifiedDiff('x', before, after)).toBe(
      '--- x\n+++ x\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n+i\n',
    )
    expect(unifiedDiff('x', before, before)).toBe('')
    expect(unifiedDiff('x', '', 'a\n')).toBe('--- x\n+++ x\n@@ -0,0 +1,1 @@\n+a\n')
    expect(unifiedDiff('x', 'a\n', '')).toBe('--- x\n+++ x\n@@ -1,1 +0,0 @@\n-a\n')
  })

  it('changes far apart have hunks of their own', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`)
    const changed = lines.map((line, i) => (i === 2 || i === 35 ? `${line}!` : line))
    const diff = unifiedDiff('x', lines.join('\n'), changed.join('\n'))
    expect(diff.match(/^@@/gm)).toHaveLength(2)
  })
})

it('versions are compared by their numbers', () => {
  expect(['2.34', '2.4', '2.4.1'].sort(compareVersions)).toEqual(['2.4', '2.4.1', '2.34'])
})

describe('the stable ABI', () => {
  const sources = (text: string): ExportedSources => ({
    compiled: [],
    files: new Map(),
    includeFolders: [],
    definitions: [],
    usesSupport: false,
    includesSupport: false,
    parallel: false,
    texts: [{ file: '/p/op.cpp', relative: 'op.cpp', text }],
  })

  it('headers and registrations of the stable ABI are accepted, and nothing else of libtorch', () => {
    const stable =
      '#include <torch/csrc/stable/library.h>\n#include <vector>\nSTABLE_TORCH_LIBRARY(a, m) {}\n'
    expect(usesStableAbi(sources(stable))).toBe(true)
    expect(stableObstacles(sources(stable))).toEqual([])
    const mixed = `${stable}#include <ATen/ATen.h>\nTORCH_LIBRARY(a, m) {}\n// #include <c10/x.h>\n`
    expect(usesStableAbi(sources(mixed))).toBe(false)
    expect(stableObstacles(sources(mixed)).map(({ line, message }) => [line, message])).toEqual([
      [4, 'includes <ATen/ATen.h>'],
      [5, 'registers with TORCH_LIBRARY, not STABLE_TORCH_LIBRARY'],
    ])
    expect(usesStableAbi(sources('int f();\n'))).toBe(false)
  })
})
