import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { graph as graphShape } from '../../electron/contract/graph'
import type { Graph, GraphNode } from '../../electron/contract/graph'
import type { Result } from '../../electron/contract/outcome'
import { unwrap } from '../../electron/contract/outcome'
import { readArgument } from '../../electron/engine/graph/torch-export/arguments'
import {
  describeExport,
  quoteLargeIntegers,
  readExport,
} from '../../electron/engine/graph/torch-export/archive'
import { operatorOfTarget } from '../../electron/engine/graph/torch-export/graph'
import { scopeOf, sourceOf } from '../../electron/engine/graph/torch-export/metadata'
import { parseGraph, readGraphFile } from '../../electron/engine/graph/graph-file'
import { printGraph } from '../../electron/engine/graph/graph-text'
import { fileKind } from '../../electron/engine/graph/model-file'
import { symbolicSize } from '../../electron/engine/graph/torch-export/symbolic-size'
import { root } from '../support/installation'

/** Made by test/cases/graphs/export_models.py with torch 2.13, in the layout of 2.1 to 2.7. */
const archive = path.join(root, 'test/cases/graphs/older.pt2')
const schemas = new Map([
  ['aten::linear.', 'aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor'],
  ['aten::slice.int', 'a schema of another overload'],
])
const known = { schemas, custom: new Set(['aten::relu.']), classes: new Set<string>() }

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-pt2-'))
})
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

function scratch(name: string, content: string | Buffer): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

function messageOf(result: Result<unknown>): string {
  if (result.ok) throw new Error('expected an error')
  return result.error.message
}

function flat(nodes: readonly GraphNode[]): GraphNode[] {
  return nodes.flatMap((node) => [
    node,
    ...(node.blocks ?? []).flatMap((block) => flat(block.nodes)),
  ])
}

async function readArchive(): Promise<{ graph: Graph; nodes: GraphNode[]; lines: string[] }> {
  const read = unwrap(await readExport(archive, 'forward', known))
  const graph = graphShape.parse(JSON.parse(read.graph))
  return { graph, nodes: flat(graph.nodes), lines: read.text.split('\n') }
}

describe('a torch.export archive', () => {
  it('an archive becomes a graph whose nodes have source lines', async () => {
    const { nodes, lines } = await readArchive()
    expect(nodes.map((node) => node.id)).toEqual(nodes.map((_, index) => index))
    for (const node of nodes) {
      expect(lines[node.lines[0]]).toContain(`${node.kind}`)
      for (const output of node.outputs) {
        expect(lines[node.lines[0]]).toContain(`%${output.name} : ${output.type}`)
      }
    }
    expect(lines.at(-2)).toMatch(/^ {2}return \(/)
  })

  it('every value comes from an input or from an earlier node', async () => {
    const { graph } = await readArchive()
    const visit = (nodes: readonly GraphNode[], seen: Set<string>): void => {
      for (const node of nodes) {
        for (const name of node.inputs) expect(seen).toContain(name)
        for (const block of node.blocks ?? []) {
          const inside = new Set([...seen, ...block.inputs.map((value) => value.name)])
          visit(block.nodes, inside)
          for (const name of block.outputs) expect(inside).toContain(name)
        }
        for (const output of node.outputs) {
          expect(seen).not.toContain(output.name)
          seen.add(output.name)
        }
      }
    }
    const seen = new Set(graph.inputs.map((value) => value.name))
    visit(graph.nodes, seen)
    for (const name of graph.outputs) expect(seen).toContain(name)
  })

  it('inputs are named after what they stand for, with symbolic sizes', async () => {
    const { graph } = await readArchive()
    const byName = new Map(graph.inputs.map((value) => [value.name, value]))
    expect(byName.get('p_layers_0_fc_weight')?.origin).toBe('parameter layers.0.fc.weight')
    expect(byName.get('b_count')).toMatchObject({
      origin: 'buffer count',
      tensor: { dtype: 'int64', shape: [] },
    })
    expect(byName.get('x')).toMatchObject({
      origin: 'user input',
      tensor: { dtype: 'float32', shape: [null, 8], strides: [8, 1], device: 'cpu' },
    })
    expect(byName.get('x')?.type).toMatch(/^Float\(s\d+, 8, strides=\[8, 1\]/)
  })

  it('nodes have their module, source and schema', async () => {
    const { nodes } = await readArchive()
    const linears = nodes.filter((node) => node.kind === 'aten::linear')
    expect(linears.map((node) => node.scope)).toEqual([
      ['layers.0', 'fc'],
      ['layers.1', 'fc'],
    ])
    const [linear] = linears
    expect(linear?.schema).toBe(schemas.get('aten::linear.'))
    expect(linear?.custom).toBeUndefined()
    expect(path.basename(linear?.source?.file ?? '')).toBe('export_models.py')
    const text = fs.readFileSync(path.join(root, 'test/cases/graphs/export_models.py'), 'utf8')
    expect(text.split('\n')[(linear?.source?.line ?? 0) - 1]).toContain('torch.relu(self.fc(x))')
    expect(nodes.find((node) => node.kind === 'aten::relu')?.custom).toBe(true)
  })

  it('arguments keep their names, and values are constants', async () => {
    const { nodes } = await readArchive()
    const attributes = (kind: string): unknown =>
      nodes.find((node) => node.kind === kind)?.attributes
    expect(attributes('aten::cat')).toEqual({ dim: 1 })
    expect(attributes('aten::view')).toEqual({ size: [expect.stringMatching(/^%mul/), -1] })
    expect(attributes('aten::index')).toEqual({ indices: [null, expect.stringMatching(/^%/)] })
    expect(attributes('aten::slice')).toMatchObject({ dim: 0, end: '9223372036854775807' })
    expect(attributes('aten::to')).toMatchObject({ dtype: 'bfloat16' })
    expect(attributes('prim::Constant')).toEqual({ value: 3 })
    expect(nodes.find((node) => node.kind === 'aten::cat')?.inputs).toHaveLength(3)
    expect(nodes.find((node) => node.kind === 'aten::split_with_sizes')?.outputs).toHaveLength(2)
  })

  it('subgraphs are blocks', async () => {
    const { nodes } = await readArchive()
    const branch = nodes.find((node) => node.kind === 'higher_order::cond')
    expect(branch?.blocks?.map((block) => block.label)).toEqual(['true', 'false'])
    expect(branch?.blocks?.map((block) => block.nodes.map((node) => node.kind))).toEqual([
      ['aten::sin'],
      ['aten::cos'],
    ])
    expect(branch?.lines[1]).toBeGreaterThan(branch?.lines[0] ?? 0)
  })

  it('a missing overload is listed where the operator exists', async () => {
    const { entries, missing, kind } = unwrap(await describeExport(archive, known))
    expect(kind).toBe('export')
    expect(entries).toEqual([
      { name: 'forward', schema: 'forward(Tensor x) -> (Tensor, Tensor, int, Tensor)' },
    ])
    expect(missing).toContain('aten::relu')
    expect(missing).toContain('aten::slice.Tensor')
    expect(missing).not.toContain('aten::linear')
    expect(
      missing.some((name) => name.includes('higher_order') || name.includes('_operator')),
    ).toBe(false)
    expect(messageOf(await readExport(archive, 'backward', known))).toContain('no model backward')
  })
})

describe('a broken archive', () => {
  const bytes = fs.readFileSync(archive)
  const rename = (from: string, to: string): Buffer =>
    Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')

  it.each([
    ['cut off', bytes.subarray(0, 3000), /broken zip archive/],
    [
      'a zip of something else',
      rename('serialized_exported_program.json', 'serialized_exported_programs.txt'),
      /PyTorch did not write it/,
    ],
    ['empty', Buffer.alloc(0), /is not a TorchScript archive/],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n'), /is not a TorchScript archive/],
    [
      'zeros behind PK',
      Buffer.concat([Buffer.from('PK'), Buffer.alloc(500)]),
      /broken zip archive/,
    ],
  ])('an archive that is %s is refused in words', async (name, content, expected) => {
    const file = scratch(`${name.replaceAll(' ', '-')}.pt2`, content)
    expect(messageOf(await fileKind(file))).toMatch(expected)
  })

  it('an archive with changed bytes is refused', async () => {
    const changed = Buffer.from(bytes)
    changed.fill(0x55, 200, 260)
    const file = scratch('changed.pt2', changed)
    expect(messageOf(await readExport(file, '', known))).toMatch(/changed\.pt2/)
  })

  it('an entry that is larger than declared or than the limit is not unpacked', async () => {
    // The sizes of the first entry, in its central directory header.
    const header = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
    const small = Buffer.from(bytes)
    small.writeUInt32LE(100, header + 24)
    expect(messageOf(await readExport(scratch('small.pt2', small), '', known))).toMatch(
      /broken zip/,
    )
    const huge = Buffer.from(bytes)
    huge.writeUInt32LE(0xf0000000, header + 24)
    expect(messageOf(await readExport(scratch('huge.pt2', huge), '', known))).toMatch(
      /the limit is/,
    )
  })

  it('a path that leads out of the archive is named', async () => {
    const name = 'serialized_exported_program.json'
    const climbing = `../../${'x'.repeat(name.length - 6)}`
    const file = scratch('climbing.pt2', rename(name, climbing))
    expect(messageOf(await fileKind(file))).toContain(
      `the path ${climbing}, which is outside of the archive`,
    )
  })

  it('a model that unpacks to gigabytes is refused before a byte is unpacked', async () => {
    const header = bytes.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
    const bomb = Buffer.from(bytes)
    bomb.writeUInt16LE(8, header + 10)
    bomb.writeUInt32LE(0xf0000000, header + 24)
    expect(messageOf(await fileKind(scratch('bomb.pt', bomb)))).toMatch(/unpack to 402\d+ bytes/)
  })

  it('a named pipe is refused without waiting for a writer', async () => {
    const pipe = path.join(folder, 'pipe.pt')
    execFileSync('mkfifo', [pipe])
    expect(messageOf(await fileKind(pipe))).toMatch(/is not a file/)
  })

  it('a missing file and a folder get errors that name the reason', async () => {
    expect(messageOf(await fileKind(path.join(folder, 'nothing.pt2')))).toMatch(/it does not exist/)
    expect(messageOf(await fileKind(folder))).toMatch(/not a file|a folder/)
  })
})

describe('parts of the archive format', () => {
  it.each([
    ["Symbol('s77', positive=True, integer=True)", 's77'],
    ["Mul(Integer(2), Symbol('s77', positive=True, integer=True))", '2*s77'],
    ["Mul(Integer(2), Add(Symbol('s0', integer=True), Integer(-1)))", '2*(s0 - 1)'],
    ["FloorDiv(Add(Symbol('s0'), Integer(1)), Integer(2))", '(s0 + 1)//2'],
    ["Max(Integer(1), Pow(Symbol('u0'), Integer(2)))", 'Max(1, u0**2)'],
    ['s0 + 1', 's0 + 1'],
    ['Mul(Integer(2), ', 'Mul(Integer(2), '],
    [`${'Add('.repeat(5000)}1`, `${'Add('.repeat(5000)}1`],
  ])('the size %s is read', (expression, expected) => {
    expect(symbolicSize(expression)).toBe(expected)
  })

  it.each([
    ['torch.ops.aten.add.Tensor', 'aten::add', 'aten::add.Tensor'],
    ['torch.ops.my_ops.warp.default', 'my_ops::warp', 'my_ops::warp.'],
    ['torch.ops.higher_order.cond', 'higher_order::cond', undefined],
    ['_operator.mul', '_operator::mul', undefined],
    ['math.trunc', 'math::trunc', undefined],
  ])('the operator %s is read', (target, kind, key) => {
    expect(operatorOfTarget(target)).toEqual({ kind, key })
  })

  it("a module's name is relative to the module around it", () => {
    const stack =
      'L__self__,,m.M;L__self__layers.0,layers.0,m.Block;L__self__layers.0.fc@1,layers.0.fc,torch.nn.Linear'
    expect(scopeOf(stack)).toEqual(['layers.0', 'fc@1'])
    expect(scopeOf('')).toEqual([])
  })

  it("the source place is the innermost frame of the user's own code", () => {
    const trace = [
      'File "/home/me/model.py", line 3, in forward',
      '    return self.fc(x)',
      '  File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 130, in forward',
      '    return F.linear(input, self.weight, self.bias)',
    ].join('\n')
    expect(sourceOf(trace)).toMatchObject({ file: '/home/me/model.py', line: 3 })
    expect(sourceOf('File "torch/fx/passes/runtime_assert.py", line 24, in insert')).toBeUndefined()
  })

  it('integers too large for a double survive, and texts stay as they are', () => {
    const text = '{"end": 9223372036854775807, "n": -12, "code": "x[9223372036854775807] \\" 1"}'
    expect(JSON.parse(quoteLargeIntegers(text))).toEqual({
      end: '9223372036854775807',
      n: -12,
      code: 'x[9223372036854775807] " 1',
    })
  })

  it('an unknown kind of argument is shown, and a wrong one is refused with its place', () => {
    expect(readArgument({ as_new_thing: { a: 1 } }, 'x')).toMatchObject({
      constant: { value: '{"a":1}' },
    })
    expect(() => readArgument({ as_tensor: { nam: 'x' } }, 'nodes[3].inputs[0]')).toThrow(
      /nodes\[3\]\.inputs\[0\]\.as_tensor\.name/,
    )
  })
})

describe('a graph saved as JSON', () => {
  const value = (name: string) => ({ name, type: 'Tensor' })
  const node = (kind: string, inputs: string[], output: string) => ({
    id: 7,
    kind,
    inputs,
    outputs: [value(output)],
    attributes: { alpha: 1, note: 'a "b"', none: null, list: [1, true] },
    lines: [0, 0] as [number, number],
  })
  const saved: Graph = {
    name: 'f',
    form: 'script',
    inputs: [value('x')],
    outputs: ['y'],
    nodes: [
      {
        ...node('prim::If', ['x'], 'y'),
        blocks: [
          { label: 'then', inputs: [], outputs: ['z'], nodes: [node('aten::relu', ['x'], 'z')] },
        ],
      },
    ],
  }

  it('a graph is printed, numbered and linked to the text', async () => {
    const { name, text } = unwrap(
      await readGraphFile(scratch('g.json', JSON.stringify({ ...saved, steps: [] }))),
    )
    expect(name).toBe('f')
    expect(text.text).toBe(
      [
        'graph(%x : Tensor):',
        '  %y : Tensor = prim::If[alpha=1, note="a \\"b\\"", none=None, list=[1, True]](%x)',
        '    block0(): # then',
        '      %z : Tensor = aten::relu[alpha=1, note="a \\"b\\"", none=None, list=[1, True]](%x)',
        '      -> (%z)',
        '  return (%y)',
        '',
      ].join('\n'),
    )
    const [branch] = (JSON.parse(text.graph) as Graph).nodes
    expect([branch?.id, branch?.lines]).toEqual([0, [1, 4]])
    expect(branch?.blocks?.[0]?.nodes[0]).toMatchObject({ id: 1, lines: [3, 3] })
    expect(printGraph(saved).graph.nodes).toEqual((JSON.parse(text.graph) as Graph).nodes)
  })

  it.each([
    ['{"name": 1', /not valid JSON/],
    ['{}', /name/],
    [JSON.stringify({ ...saved, form: 'sketch' }), /form/],
    [
      JSON.stringify({ ...saved, nodes: [{ ...saved.nodes[0], inputs: [3] }] }),
      /nodes\[0\]\.inputs\[0\]/,
    ],
    [`${'{"nodes":['.repeat(100_000)}`, /not valid JSON|nested too deeply/],
  ])('the JSON %.40s is refused with the name of the field', (text, expected) => {
    expect(messageOf(parseGraph(text, 'g.json'))).toMatch(expected)
  })
})
