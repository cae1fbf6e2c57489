import { describe, expect, it } from 'vitest'

import type { GraphObservation } from '../../electron/contract/graph'
import { buildModel } from '../../graph/build-model'
import type { GraphModel } from '../../graph/model'
import { parseQuery, searchGraph } from '../../graph/search'
import type { SearchOptions } from '../../graph/search'
import { parseShape, shapeMatches } from '../../graph/shape-pattern'
import { tensorValue, transformerGraph } from '../perf/graphs'
import { constant, graphOf, op } from './graph-samples'

function find(model: GraphModel, text: string, options?: SearchOptions): number[] {
  const parsed = parseQuery(text)
  if (!parsed.ok) throw new Error(parsed.message)
  const result = searchGraph(model, parsed.query, options)
  if (!result.ok) throw new Error(result.message)
  return result.nodes
}

const small = buildModel(
  graphOf(
    ['x', 'y.1'],
    [
      constant('half', 0.5, 'float'),
      {
        ...op('matmul', ['x', 'y.1'], 'a'),
        outputs: [tensorValue('a', [4, 512])],
        source: { file: 'program.py', line: 3, column: 1, endLine: 4, endColumn: 9 },
      },
      { ...op('add_', ['a', 'x'], 'b.2'), outputs: [tensorValue('b.2', [4, 512])] },
      {
        kind: 'my_ops::warp',
        inputs: ['b.2', 'half'],
        outputs: [
          {
            name: 'c',
            type: 'Half(1, 4, 512)',
            tensor: { dtype: 'float16', shape: [1, 4, null], device: 'cuda:0' },
          },
        ],
        custom: true,
        schema: 'my_ops::warp(Tensor x, float scale) -> Tensor',
        scope: ['encoder', 'layers.0'],
      },
    ],
    ['c'],
  ),
)

describe('searching a graph', () => {
  it.each<[string, number[]]>([
    ['', []],
    ['matmul', [1]],
    ['MATMUL', [1]],
    ['op:add', [2]],
    ['op:aten::*', [1, 2]],
    ['op:add*', [2]],
    ['op:add', [2]],
    ['op:ad*d', []],
    ['warp', [3]],
    ['scale=0.5', [3]],
    ['name:b', [2, 3]],
    ['name:%y', [1]],
    ['name:b.*', [2, 3]],
    ['dtype:f16', [3]],
    ['dtype:float32', [1, 2]],
    ['device:cuda', [3]],
    ['device:cuda:0', [3]],
    ['device:cuda:1', []],
    ['shape:[*, 512]', [1, 2]],
    ['shape:[4, 512]', [1, 2]],
    ['shape:4x512', [1, 2]],
    ['shape:[..., 4, *]', [1, 2, 3]],
    ['shape:[*]', []],
    ['shape:[>=4, <1000]', [1, 2]],
    ['scope:layers.0', [3]],
    ['encoder', [3]],
    ['line:4', [1]],
    ['line:5', []],
    ['custom', [3]],
    ['-custom', [1, 2]],
    ['op:aten -op:add', [1]],
    ['matmul custom', []],
    ['"nan"', []],
    ['-matmul -warp', [2]],
  ])('the query "%s" finds its nodes and no others', (text, expected) => {
    expect(find(small, text)).toEqual(expected)
  })

  it('constants are found when they are shown', () => {
    expect(find(small, '0.5')).toEqual([3])
    expect(find(small, '0.5', { constants: true })).toEqual([0, 3])
  })

  it('a query can use the results of a run', () => {
    const seen = (
      id: number,
      seconds: number,
      nan: number,
      inf: number,
    ): GraphObservation['nodes'][0] => ({
      id,
      calls: 1,
      seconds,
      bytes: 0,
      values: [
        {
          name: 'v',
          dtype: 'float64',
          shape: [7],
          device: 'cpu',
          nan,
          inf,
          min: 0,
          max: 1,
          mean: 0,
        },
      ],
    })
    const observation: GraphObservation = {
      seconds: 1,
      runs: 1,
      nodes: [seen(1, 0.9, 0, 0), seen(2, 0.01, 2, 0), seen(3, 0.06, 0, 1)],
    }
    expect(find(small, 'nan', { observation })).toEqual([2])
    expect(find(small, 'inf', { observation })).toEqual([3])
    expect(find(small, 'slow', { observation })).toEqual([1, 3])
    expect(find(small, 'slow -nan -inf', { observation })).toEqual([1])
    expect(find(small, 'shape:[7] dtype:f64', { observation })).toEqual([1, 2, 3])
    const parsed = parseQuery('nan')
    expect(parsed.ok && searchGraph(small, parsed.query)).toEqual({
      ok: false,
      message: '"nan" needs data from a run: choose an overlay first',
    })
  })

  it.each([
    ['colour:red', '"colour:" is not a search field'],
    ['dtype:float31', '"float31" is not a dtype'],
    ['shape:[4,', '"[" has no matching "]"'],
    ['shape:4]', '"]" has no matching "["'],
    ['shape:[4, x]', '"x" is not a size'],
    ['shape:[4,,5]', 'a size is missing in the shape'],
    ['line:zero', '"line:" needs a line'],
    ['op:', '"op:" needs a value after the colon'],
    ['"half', 'a quotation mark is not closed'],
  ])('the query %s is refused with the reason', (text, message) => {
    const parsed = parseQuery(text)
    expect(parsed).toMatchObject({ ok: false })
    expect(parsed.ok ? '' : parsed.message).toContain(message)
  })

  it('any text is accepted without an exception', () => {
    for (const text of [
      '(',
      '[]',
      '-',
      '--x',
      'a:b:c',
      'op:(',
      'name:[',
      '*',
      'op:*',
      'aten::add',
      '\\',
      '"',
      'shape:[]',
      'op:+*?',
    ]) {
      const parsed = parseQuery(text)
      if (parsed.ok) expect(searchGraph(small, parsed.query).ok).toBe(true)
      else expect(parsed.message).not.toBe('')
    }
    expect(find(small, 'aten::add')).toEqual([2])
  })

  it('the queries work on a large model', () => {
    const model = buildModel(transformerGraph(24))
    expect(find(model, 'op:softmax')).toHaveLength(24)
    expect(find(model, 'op:linear scope:layers.3/')).toHaveLength(6)
    expect(find(model, 'shape:[*, *, 4096]')).toHaveLength(48)
    expect(find(model, 'q_proj.weight')).toHaveLength(24)
  })
})

describe('shape patterns', () => {
  it.each<[string, (number | null)[], boolean]>([
    ['[*, 512]', [4, 512], true],
    ['[*, 512]', [512], false],
    ['[*, 512]', [1, 4, 512], false],
    ['[..., 512]', [512], true],
    ['[..., 512]', [1, 2, 3, 512], true],
    ['[3, ..., 3]', [3], false],
    ['[3, ..., 3]', [3, 3], true],
    ['[]', [], true],
    ['[]', [1], false],
    ['[*]', [null], true],
    ['[8]', [null], false],
    ['[>8]', [8], false],
    ['[<=8]', [8], true],
    ['8x5', [8, 5], true],
    ['8×5', [8, 5], true],
    ['[..., ..., ...]', Array.from({ length: 60 }, () => 2), true],
  ])('the pattern %s against the shape %j gives %s', (pattern, shape, expected) => {
    const parsed = parseShape(pattern)
    expect(typeof parsed).not.toBe('string')
    expect(typeof parsed !== 'string' && shapeMatches(parsed, shape)).toBe(expected)
  })
})
