import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import type { RunReport } from '../../electron/contract/run'
import type { NativeAddon } from '../../electron/host/addon'
import { askPython } from '../support/python'
import { failureOf, fixtureLibrary, loadAddon } from './fixture'

let addon: NativeAddon

beforeAll(async () => {
  addon = loadAddon()
  await addon.call('library.load', { path: fixtureLibrary('operators') })
})
afterAll(async () => {
  await addon.call('library.unload', {})
})

/** Also what Python reads. */
const source = `"""Functions
over the fixture's operators."""
import math
from typing import (
    List,
    Optional,
)

import torch
import torch.nn.functional as F
from torch import Tensor


@torch.jit.script
def repeated(x: Tensor, y: torch.Tensor, times: int = 2) -> List[Tensor]:
    """One result for each time."""
    results: List[Tensor] = []
    for i in range(times):
        results.append(torch.ops.fixture.scaled(x, y, float(i)) * math.pi)
    return results


def gated(x: Tensor, limit: Optional[float] = None) -> Tensor:
    if limit is not None and bool(x.max() > limit):
        raise ValueError("over the limit")
    return F.relu(x).to(torch.float64) + torch.special.expit(x) + torch.zeros([1], dtype=torch.float64)


def broken(x):
    return torch.ops.fixture.scaled(x, x[0])
`
const program = { file: 'program.py', source }
const inputs = {
  x: inputSpec.parse({ shape: [2, 3] }),
  y: inputSpec.parse({ shape: [2, 3] }),
}

async function run(op: string, args: (string | number)[], reference?: string): Promise<RunReport> {
  return await addon.call('operator.run', {
    op,
    args,
    inputs,
    program,
    ...(reference ? { reference } : {}),
  })
}

describe('a TorchScript program', () => {
  it('the functions of the program are listed with their lines', async () => {
    const lineOf = (name: string): number =>
      source.split('\n').findIndex((text) => text.startsWith(`def ${name}`)) + 1
    expect(await addon.call('program.functions', { file: program.file, source })).toEqual([
      {
        name: 'repeated',
        schema: 'repeated(Tensor x, Tensor y, int times=2) -> Tensor[]',
        line: lineOf('repeated'),
      },
      {
        name: 'gated',
        schema: 'gated(Tensor x, float? limit=None) -> Tensor',
        line: lineOf('gated'),
      },
      { name: 'broken', schema: 'broken(Tensor x) -> Tensor', line: lineOf('broken') },
    ])
  })

  it('the program is valid Python', async () => {
    const answer = await askPython(
      'import ast, json, sys; print(json.dumps([n.name for n in ast.parse(sys.argv[1]).body if isinstance(n, ast.FunctionDef)]))',
      [source],
    )
    expect(answer).toEqual(['repeated', 'gated', 'broken'])
  })

  it('a function of the program can be called and used in a reference', async () => {
    const report = await run('repeated', ['x', 'y', 3], 'repeated(x, y, 3)')
    expect(report.outputs).toHaveLength(3)
    expect(report.comparisons.map(({ matches }) => matches)).toEqual([true, true, true])
    const gated = await run('gated', ['x'], 'torch.relu(x).double() + torch.sigmoid(x)')
    expect(gated.comparisons[0]).toMatchObject({ matches: true })
  })

  it('an error at run time names the line of the program', async () => {
    const line = source.split('\n').findIndex((text) => text.includes('scaled(x, x[0])')) + 1
    expect(await failureOf(run('broken', ['x']))).toMatchObject({
      code: 'operator.check',
      message: 'scaled: sizes differ',
      file: 'program.py',
      line,
    })
    expect((await failureOf(run('gated', ['x', -100]))).message).toContain('over the limit')
  })

  it('an unknown function name gets an error that lists the functions', async () => {
    const failure = await failureOf(run('absent', ['x']))
    expect(failure).toMatchObject({
      code: 'operator.unknown',
      hint: 'Its functions are repeated, gated, broken.',
    })
  })

  it.each([
    ['an unknown name', 'def f(x):\n    return foo(x)\n', 2, 12, 'undefined value foo'],
    [
      'an unknown operator',
      'import torch\n\ndef f(x):\n    return torch.ops.fixture.nope(x)\n',
      4,
      12,
      'Unknown builtin op: fixture::nope',
    ],
    [
      'a missing argument',
      'def f(x):\n    y = torch.ops.fixture.scaled(\n        x)\n    return y\n',
      2,
      9,
      'Argument y not provided',
    ],
    ['what is no function', 'x = 1\n', 1, 1, 'expected def'],
  ])(
    'a program with %s does not compile, and the error gives the place',
    async (_title, text, line, column, words) => {
      const failure = await failureOf(
        addon.call('program.functions', { file: 'p.py', source: text }),
      )
      expect(failure).toMatchObject({ code: 'program.compile', file: 'p.py', line, column })
      expect(failure.message).toContain(words)
      expect(failure.message).not.toContain('HERE')
    },
  )
})

// Last: the class stays in the process.
describe('a library with a TorchScript class', () => {
  it('a program can use the class, and the error explains why the library cannot be unloaded', async () => {
    const report = await addon.call('library.load', { path: fixtureLibrary('counter') })
    expect(report.classes.map(({ name }) => name)).toEqual(['fixture_classes.Counter'])
    expect(report.classes[0]?.methods.map(({ name }) => name).sort()).toEqual(['__init__', 'next'])
    const text = `def after(counter: torch.classes.fixture_classes.Counter) -> int:
    return counter.next()

def second(start: int) -> int:
    counter = torch.classes.fixture_classes.Counter(start)
    counter.next()
    return after(counter)
`
    const result = await addon.call('operator.run', {
      op: 'second',
      args: [5],
      inputs: {},
      program: { file: 'c.py', source: text },
    })
    expect(result.outputs).toEqual([{ kind: 'value', type: 'int', text: '6' }])
    const { unloaded, reason } = await addon.call('library.unload', {})
    expect(unloaded).toBe(false)
    expect(reason).toContain('registered classes')
  })
})
