import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { GradcheckOutcome, SweepPoint } from '../../electron/contract/gradcheck'
import { gradcheckEntry } from '../../electron/contract/manifest'
import type { GradcheckEntry, Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { caseOf } from '../../electron/engine/project/gradcheck-case'
import { readManifest } from '../../electron/engine/project/read-manifest'
import type { Workbench } from '../../electron/engine/workbench'
import { copyProject, cpuSamples, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const limits = { timeout: 170 }

const { workbench, cache } = useWorkbench()

async function build(folder: string): Promise<Manifest> {
  const built = unwrap(await workbench.builds.build(folder))
  expect(built.diagnostics.filter((one) => one.severity === 'error')).toEqual([])
  expect(built.ok).toBe(true)
  return unwrap(await readManifest(folder))
}

/** A gradcheck of an entry of that manifest, as the window would ask for it. */
function requestOf(
  manifest: Manifest,
  entry: Partial<GradcheckEntry>,
): Parameters<Workbench['gradchecks']['run']>[1] {
  return { ...caseOf(gradcheckEntry.parse(entry), manifest), keepJacobians: false }
}

describe('the gradchecks of the samples', () => {
  it.each(cpuSamples().map((folder) => [path.basename(folder), folder]))(
    'the gradchecks of %s have the verdicts that opsmith.json expects',
    async (_name, source) => {
      const folder = copyProject(source, cache)
      const manifest = await build(folder)
      expect(manifest.gradchecks.length).toBeGreaterThan(0)
      const outcomes = unwrap(await workbench.gradchecks.runAll(folder, limits))
      expect(outcomes).toHaveLength(manifest.gradchecks.length)
      for (const outcome of outcomes) {
        expect(outcome, JSON.stringify(outcome.report?.findings ?? outcome.error)).toMatchObject({
          asExpected: true,
        })
      }
      // A gradient that must be right is among them.
      expect(outcomes.some((outcome) => outcome.verdict === 'passed')).toBe(true)
    },
  )

  it('the sample sigmoid has eight verdicts, the same for its own and the built-in operator', async () => {
    const folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
    const manifest = await build(folder)
    const lesson = manifest.gradchecks.filter((entry) => entry.dtype !== undefined)
    const outcomes = unwrap(await workbench.gradchecks.runAll(folder, limits, { entries: lesson }))
    const verdicts = outcomes.map((outcome, index) => {
      const entry = lesson[index]
      return [entry?.op, entry?.dtype, entry?.eps, outcome.verdict]
    })
    expect(verdicts).toEqual(
      ['sigmoid::sigmoid', 'aten::sigmoid'].flatMap((op) => [
        [op, 'float32', 1e-3, 'passed'],
        [op, 'float32', 1e-4, 'failed'],
        [op, 'float64', 1e-4, 'passed'],
        [op, 'float64', 1e-6, 'passed'],
      ]),
    )
    for (const outcome of outcomes.filter((one) => one.verdict === 'failed')) {
      const failed = outcome.report?.findings.filter((finding) => finding.status === 'failed')
      expect(failed?.map((finding) => finding.check)).toEqual(['backward'])
      expect(failed?.[0]?.cause).toMatch(/^Rounding/)
    }
  })
})

describe('operators with wrong gradients', () => {
  const source = path.join(root, 'test/cases/gradcheck/wrong_gradients')
  const expectation = z.record(
    z.string(),
    z.object({
      wrong: z.string(),
      /** What finds it; absent of a right one. */
      by: z.enum(['gradcheck', 'operator check', 'search']).optional(),
      check: z.string().default(''),
      messageMatches: z.string().default(''),
    }),
  )
  const expected = expectation.parse(
    JSON.parse(fs.readFileSync(path.join(source, 'expected.json'), 'utf8')),
  )
  const foundBy = (by: string): [string, { check: string; messageMatches: string }][] =>
    Object.entries(expected).filter(([, entry]) => entry.by === by)
  let folder: string
  let manifest: Manifest
  let outcomes: GradcheckOutcome[] = []

  beforeAll(async () => {
    folder = copyProject(source, cache)
    manifest = await build(folder)
    outcomes = unwrap(await workbench.gradchecks.runAll(folder, limits))
  })

  it('every wrong operator of the case is expected to be found, by name', () => {
    const failing = manifest.gradchecks.filter((entry) => entry.expect === 'failed')
    expect(failing.map((entry) => entry.op).sort()).toEqual(
      foundBy('gradcheck')
        .map(([op]) => op)
        .sort(),
    )
    expect(failing.length).toBeGreaterThanOrEqual(15)
  })

  it.each(foundBy('gradcheck'))('%s fails with its cause', (op, { check, messageMatches }) => {
    const outcome = outcomes.find((one) => one.op === op && one.expect === 'failed')
    expect(outcome?.verdict).toBe('failed')
    const failed = outcome?.report?.findings.filter((finding) => finding.status === 'failed') ?? []
    expect(failed.map((finding) => finding.check)).toContain(check)
    const said = failed.map((finding) => `${finding.reason}\n${finding.cause}`).join('\n')
    expect(said).toMatch(new RegExp(messageMatches))
  })

  // That the operator checks find it: test/parity/checks.test.ts.
  it.each(foundBy('operator check'))('%s passes gradcheck', (op) => {
    expect(outcomes.find((one) => one.op === op)?.verdict).toBe('passed')
  })

  it('the correct operators of the same project pass', () => {
    const passing = outcomes.filter((outcome) => outcome.expect === 'passed')
    expect(passing.length).toBeGreaterThanOrEqual(9)
    for (const outcome of passing)
      expect(outcome, JSON.stringify(outcome.report?.findings)).toMatchObject({ verdict: 'passed' })
  })

  // Large enough to be called on batches; the second, for several of them and for threads.
  it.each([
    ['one batch', 9, Object.keys(expected)],
    ['many batches', 45, ['wrong_element', 'missing_row', 'noisy_backward', 'transposed']],
  ])('wrong gradients are found when calls are batched: %s', async (_name, size, wrong) => {
    const shapes = { x: [size - 1, size], y: [size - 1, size], a: [size, size], b: [size, size] }
    const wanted = ['square', 'add_bias', 'product', ...wrong]
    for (const entry of manifest.gradchecks) {
      const name = entry.op.replace('wrong_gradients::', '')
      if (!wanted.includes(name) && !wanted.includes(entry.op)) continue
      const request = requestOf(manifest, entry)
      for (const [input, shape] of Object.entries({ ...shapes, bias: [size] })) {
        const spec = request.inputs[input]
        if (spec) request.inputs[input] = { ...spec, shape }
      }
      const report = unwrap(await workbench.gradchecks.run(folder, request, limits))
      expect(report.ok, `${entry.op}: ${JSON.stringify(report.findings)}`).toBe(
        entry.expect !== 'failed',
      )
      // Fewer than the elements of x: it was called on batches.
      if (name === 'square') expect(report.calls).toBeLessThan((size - 1) * size)
    }
  })

  it('a wrong operator fails at every eps, and its sweep is flat', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::wrong_factor', args: ['x'] })
    const report = unwrap(
      await workbench.gradchecks.sweep(folder, request, limits, { dtypes: ['float64'] }),
    )
    const [curve] = report.curves
    expect(curve?.points).toHaveLength(23)
    expect(curve?.points.some((point) => point.ok)).toBe(false)
    expect(curve?.points.every((point) => point.branch === 'flat')).toBe(true)
  })

  it('the sweep of a correct operator has both branches, and its points arrive one by one', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::sine', args: ['x'] })
    const told: { point: SweepPoint; done: number; total: number }[] = []
    const report = unwrap(
      await workbench.gradchecks.sweep(folder, request, limits, {
        onPoint: (point, done, total) => told.push({ point, done, total }),
      }),
    )
    expect(told.map((one) => one.done)).toEqual(Array.from({ length: 46 }, (_, i) => i + 1))
    expect(told.every((one) => one.total === 46)).toBe(true)
    expect(report.curves.map((curve) => curve.dtype)).toEqual(['float32', 'float64'])
    for (const curve of report.curves) {
      const branches = new Set(curve.points.map((point) => point.branch))
      expect(branches).toContain('truncation')
      expect(branches).toContain('rounding')
      const best = curve.points[curve.recommended ?? -1]
      expect(best?.ok).toBe(true)
      expect(Math.min(...curve.points.map((point) => point.maxAbsolute))).toBe(best?.maxAbsolute)
    }
    const steps = report.curves.map((curve) => curve.points[curve.recommended ?? -1]?.eps ?? 0)
    // float32 wants a step some hundred times larger.
    expect(steps[0]).toBeGreaterThan(30 * (steps[1] ?? Infinity))
    // What a sweep looks at, it lets go of.
    const held = await workbench.hosts.call(
      'tensor.release',
      { handles: Array.from({ length: 2000 }, (_, i) => i) },
      { ...limits, phase: '' },
    )
    expect(unwrap(held).released).toBe(0)
  })

  it('an operator without a gradient has a curve without points, and the reason', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::detached', args: ['x'] })
    const report = unwrap(await workbench.gradchecks.sweep(folder, request, limits))
    expect(report.curves.map((curve) => curve.points)).toEqual([[], []])
    expect(report.curves[0]?.reason).toMatch(/no output requires grad/)
  })

  it('Jacobians that were asked for can be read in pages', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::wrong_factor', args: ['x'] })
    const report = unwrap(
      await workbench.gradchecks.run(folder, { ...request, keepJacobians: true }, limits),
    )
    const finding = report.findings.find((one) => one.error !== undefined)
    const handle = finding?.error?.handle ?? -1
    const page = unwrap(
      await workbench.hosts.call(
        'tensor.page',
        { handle, index: [], rowStart: 0, rowCount: 12, columnStart: 0, columnCount: 12 },
        { ...limits, phase: '' },
      ),
    )
    expect(page.values).toHaveLength(144)
    expect(Math.max(...page.values)).toBe(report.error)
    await workbench.gradchecks.release(report)
    const without = unwrap(await workbench.gradchecks.run(folder, request, limits))
    expect(without.findings.every((one) => one.error === undefined)).toBe(true)
    expect(without.error).toBe(report.error)
  })

  it('the worst of random points is found again with the same seeds, and can be kept', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::wrong_above_one', args: ['one'] })
    expect(unwrap(await workbench.gradchecks.run(folder, request, limits)).ok).toBe(true)
    const done: number[] = []
    const found = unwrap(
      await workbench.gradchecks.search(folder, request, limits, {
        points: 40,
        firstSeed: 100,
        onPoint: (count) => done.push(count),
      }),
    )
    expect(done).toHaveLength(40)
    expect(found.tried).toBe(40)
    expect(found.failed).toBeGreaterThan(0)
    expect(found.failed).toBeLessThan(40)
    expect(found.seeds['one']).toBeGreaterThanOrEqual(100)
    expect(found.excess).toBeGreaterThan(0)
    const worst = { ...request, inputs: found.inputs }
    const again = unwrap(await workbench.gradchecks.run(folder, worst, limits))
    expect(again.ok).toBe(false)
    expect(again.error).toBe(found.maxAbsolute)

    const kept = unwrap(
      await workbench.gradchecks.keep(folder, worst, { name: 'the worst', expect: 'passed' }),
    )
    expect(kept).toEqual({ entry: manifest.gradchecks.length, added: true })
    const twice = unwrap(
      await workbench.gradchecks.keep(folder, worst, { name: '', expect: 'passed' }),
    )
    expect(twice).toEqual({ entry: kept.entry, added: false })
    const entry = unwrap(await readManifest(folder)).gradchecks[kept.entry]
    expect(entry).toMatchObject({ name: 'the worst', args: ['one'] })
    expect(entry).not.toHaveProperty('eps')
    expect(Object.keys(entry?.inputs ?? {})).toEqual(['one'])
    expect(entry?.inputs?.['one']?.seed).toBe(found.seeds['one'])
    const all = unwrap(
      await workbench.gradchecks.runAll(folder, limits, { entries: entry ? [entry] : [] }),
    )
    expect(all[0]).toMatchObject({ verdict: 'failed', asExpected: false })
    expect(all[0]?.report?.error).toBe(found.maxAbsolute)
  })

  it('a search is refused where no input is random', async () => {
    const request = requestOf(manifest, { op: 'aten::relu', args: ['corner'] })
    const found = await workbench.gradchecks.search(folder, request, limits, {
      points: 3,
      firstSeed: 0,
    })
    expect(found.ok ? '' : found.error.code).toBe('request.invalid')
  })

  it('an autograd error that a mistake causes is explained in plain words', async () => {
    const request = requestOf(manifest, { op: 'aten::relu_', args: ['corner'] })
    const report = unwrap(await workbench.gradchecks.run(folder, request, limits))
    const failed = report.findings.find((one) => one.status === 'failed')
    expect(failed?.reason).toMatch(/a leaf Variable that requires grad/)
    expect(failed?.cause).toMatch(/^The operator writes in place to an input that requires grad/)
  })

  it('the error of each build is remembered, and the previous one is reported', async () => {
    const request = requestOf(manifest, { op: 'wrong_gradients::wrong_factor', args: ['y'] })
    const wrong = unwrap(await workbench.gradchecks.run(folder, request, limits))
    expect(wrong).toMatchObject({ ok: false, before: null })
    expect(wrong.error).toBeGreaterThan(1)
    const file = path.join(folder, 'op.cpp')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replace('return 4 * grad * x;', 'return 2 * grad * x;'))
    await build(folder)
    const mended = unwrap(await workbench.gradchecks.run(folder, request, limits))
    expect(mended.ok).toBe(true)
    expect(mended.error).toBeLessThan(1e-8)
    expect(mended.before).toMatchObject({ ok: false, error: wrong.error })
    const history = unwrap(await workbench.gradchecks.history(folder, request))
    expect(history.map((point) => point.ok)).toEqual([false, true])
    expect(new Set(history.map((point) => point.build)).size).toBe(2)
  })
})

describe('a backward that ends its process', () => {
  let folder: string
  let manifest: Manifest
  beforeAll(async () => {
    folder = copyProject(path.join(root, 'test/cases/gradcheck/crash_in_backward'), cache)
    manifest = await build(folder)
  })

  it('a crash in backward is the outcome of its own check, with its line, and the other checks run', async () => {
    const told: string[] = []
    const outcomes = unwrap(
      await workbench.gradchecks.runAll(folder, limits, {
        onOutcome: (outcome, done, total) => {
          told.push(`${done}/${total} ${outcome.verdict}`)
        },
      }),
    )
    expect(told).toEqual([
      '1/6 passed',
      '2/6 error',
      '3/6 error',
      '4/6 error',
      '5/6 passed',
      '6/6 error',
    ])
    const [, crash, hang, unknown, , undefinedGrad] = outcomes
    expect(crash?.error).toMatchObject({ code: 'host.crashed', exit: { reason: 'segfault' } })
    const frame = crash?.error?.exit?.stack.find((one) => one.isUser)
    expect(frame?.file).toBe(path.join(folder, 'op.cpp'))
    expect(frame?.symbol).toContain('write_nowhere')
    expect(hang?.error).toMatchObject({ code: 'host.timeout', exit: { reason: 'timeout' } })
    expect(unknown?.error?.code).toBe('operator.unknown')
    expect(undefinedGrad?.error?.exit?.reason).toBe('segfault')
  })

  it('a crash does not count as the failure that "expect": "failed" asks for', async () => {
    const [, crash] = manifest.gradchecks
    const entries = crash ? [{ ...crash, expect: 'failed' as const }] : []
    const outcomes = unwrap(await workbench.gradchecks.runAll(folder, limits, { entries }))
    expect(outcomes.map((one) => [one.verdict, one.asExpected])).toEqual([['error', false]])
  })

  it('a search that ends in a crash gives the crashing point as the worst one', async () => {
    const request = requestOf(manifest, { op: 'crash_in_backward::crashes', args: ['x'] })
    const found = unwrap(
      await workbench.gradchecks.search(folder, request, limits, { points: 5, firstSeed: 0 }),
    )
    expect(found).toMatchObject({ tried: 1, failed: 1, excess: Infinity, seeds: { x: 0 } })
    expect(found.error?.code).toBe('host.crashed')
  })

  it('Stop ends all checks, also one that hangs', async () => {
    const controller = new AbortController()
    const [, , hang] = manifest.gradchecks
    // Longer than this test may take: Stop does not wait for it.
    const entries = hang ? [{ ...hang, timeout: 1000 }, hang] : []
    setTimeout(() => {
      controller.abort()
    }, 1500)
    const outcomes = await workbench.gradchecks.runAll(
      folder,
      { ...limits, signal: controller.signal },
      { entries },
    )
    expect(outcomes.ok ? '' : outcomes.error.code).toBe('cancelled')
  })
})

describe('gradcheck without a build', () => {
  it('a gradcheck without a build reports that a build is required', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const outcomes = await workbench.gradchecks.runAll(folder, limits)
    expect(outcomes.ok ? '' : outcomes.error.code).toBe('build.required')
  })
})
