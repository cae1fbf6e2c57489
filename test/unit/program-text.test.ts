import { describe, expect, it } from 'vitest'

import {
  definitionsOf,
  importedNames,
  openCall,
  parameterRanges,
  pathAt,
  pathBefore,
  resolvePath,
} from '../../renderer/editor/program-text'

const text = `import torch
import torch.nn.functional as F
from torch import (
    Tensor,
    ops as o,
)


def f(x: Tensor, n: int = 1,
      s: str = "a, (b") -> Tensor:
    """Does it.
    Twice."""
    return x


class A:
    pass
`

describe('the text of a program', () => {
  it('the meaning of each name is known', () => {
    const names = importedNames(text)
    expect(resolvePath('F.relu', names)).toBe('torch.nn.functional.relu')
    expect(resolvePath('o.my.op', names)).toBe('torch.ops.my.op')
    expect(resolvePath('torch.ops.my', names)).toBe('torch.ops.my')
    expect(resolvePath('x.sum', names)).toBe('x.sum')
  })

  it('dotted paths are found', () => {
    expect(pathBefore('y = torch.ops.aten.re')).toBe('torch.ops.aten.re')
    expect(pathBefore('y = f(torch.ops.')).toBe('torch.ops.')
    expect(pathBefore('1 + ')).toBe('')
    expect(pathAt('    return torch.ops.a.b(x)', 21)).toEqual({
      path: 'torch.ops',
      start: 18,
      end: 21,
    })
    expect(pathAt('   ', 2)).toBeUndefined()
  })

  it('the call around the caret is found', () => {
    expect(openCall('y = torch.relu(')).toEqual({ path: 'torch.relu', argument: 0, keyword: '' })
    expect(openCall('f(a, g(1, 2), "x, (", [1, 2], n=')).toEqual({
      path: 'f',
      argument: 4,
      keyword: 'n',
    })
    expect(openCall('f(a, [1, ')).toBeUndefined()
    expect(openCall('def f(a, ')).toBeUndefined()
    expect(openCall('f(a)')).toBeUndefined()
    expect(openCall('f(a == ')).toEqual({ path: 'f', argument: 0, keyword: '' })
  })

  it('definitions are listed with their signature and documentation', () => {
    expect(definitionsOf(text)).toEqual([
      {
        name: 'f',
        kind: 'function',
        line: 9,
        doc: 'Does it.\nTwice.',
        signature: 'f(x: Tensor, n: int = 1, s: str = "a, (b") -> Tensor',
      },
      { name: 'A', kind: 'class', line: 16, signature: 'A', doc: '' },
    ])
  })

  it('the parameters of schemas and signatures are found', () => {
    const schema =
      'aten::add.out(Tensor self, Tensor[] other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)'
    const found = parameterRanges(schema)
    expect(found.map(({ name }) => name)).toEqual(['self', 'other', 'alpha', 'out'])
    expect(found.map(({ range: [start, end] }) => schema.slice(start, end))[3]).toBe(
      'Tensor(a!) out',
    )
    expect(parameterRanges('f(x: Tensor, n: int = 1)').map(({ name }) => name)).toEqual(['x', 'n'])
    expect(parameterRanges('f()')).toEqual([])
  })
})
