import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import os from 'node:os'

import { beforeAll, describe, expect, it } from 'vitest'

import type { TimingReport, TimingRow } from '../../electron/contract/timing-report'
import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { isShown, request, useTimedTraps } from '../support/timed-traps'

const { workbench, traps, timed } = useTimedTraps()

describe('wrong timings', () => {
  let report: TimingReport
  const told: [number, number, string | undefined][] = []
  const rowsOf = (entry: number): TimingRow[] => report.rows.filter((row) => row.entry === entry)

  beforeAll(async () => {
    report = unwrap(
      await workbench.timings.run(traps(), undefined, {}, (done, total, row) =>
        told.push([done, total, row?.variant]),
      ),
    )
  })

  it('rows are reported one by one, with the total number of rows', () => {
    expect(told[0]).toEqual([0, 10, undefined])
    expect(told.map(([done]) => done)).toEqual(Array.from({ length: 11 }, (_, index) => index))
    expect(told.at(-1)).toEqual([10, 10, 'traps::helped'])
  })

  it('a correct operator keeps its time next to an expression with the same result', () => {
    const [own, other] = rowsOf(0)
    expect(own && isShown(own)).toBe(true)
    expect(own).toMatchObject({ kind: 'operator', variant: 'traps::honest', direction: 'forward' })
    expect(own?.ratio).toBeUndefined()
    const { summary } = own ?? {}
    expect(summary?.samples).toBeGreaterThanOrEqual(9)
    expect(own?.samples).toHaveLength(own?.times.length ?? -1)
    expect(summary?.min).toBeGreaterThan(0)
    const { min = 0, p25 = 0, median = 0, p75 = 0, max = 0, interval = [0, 0] } = summary ?? {}
    expect([min, p25, median, p75, max]).toEqual([min, p25, median, p75, max].sort((a, b) => a - b))
    expect(interval[0]).toBeLessThanOrEqual(median)
    expect(interval[1]).toBeGreaterThanOrEqual(median)
    expect(other).toMatchObject({ kind: 'expression', variant: 'x + x', refused: '' })
    const { ratio = 0, interval: range = [0, 0] } = other?.ratio ?? {}
    expect(range[0]).toBeLessThanOrEqual(ratio)
    expect(range[1]).toBeGreaterThanOrEqual(ratio)
    // Two float tensors of 64 x 64, in and out.
    expect(own?.bytes).toBe(2 * 64 * 64 * 4)
    expect(own?.layers?.full).toBeGreaterThan(0)
    const times = own?.times ?? []
    expect([...times].sort((a, b) => a - b)).toEqual(times)
  })

  it('an operator that remembers its output is refused', () => {
    const [own, other] = rowsOf(1)
    expect(own?.summary).toBeUndefined()
    expect(own?.refused).toMatch(/after an input was changed in place, it returns the old output/)
    // What it is timed against did the work.
    expect(other && isShown(other)).toBe(true)
    expect(other?.ratio).toBeUndefined()
  })

  it('an operator that still works after it has returned is refused', () => {
    const [own] = rowsOf(2)
    expect(own?.summary).toBeUndefined()
    expect(own?.refused).toMatch(/after it had returned/)
  })

  it('a wrong result is refused, with the place where it differs', () => {
    const [own, other] = rowsOf(3)
    expect([own?.summary, other?.summary]).toEqual([undefined, undefined])
    expect(own?.refused).toMatch(/differs from the result of x \+ x: 1 of 4096 elements differ/)
    expect(own?.refused).toContain('output 0[63, 63]')
    expect(other?.refused).toMatch(/differs from the result of traps::wrong/)
  })

  it('a reference that is not a number is refused, and the operator is not called correct', () => {
    const [own, other] = rowsOf(4)
    expect(other?.summary).toBeUndefined()
    expect(other?.refused).toMatch(/because output 0 contains NaN/)
    expect(own && isShown(own)).toBe(true)
    expect(own?.warnings.join()).toMatch(/could not be compared/)
  })

  it('an operator with threads of its own gets a warning', () => {
    const [own] = rowsOf(5)
    expect(own && isShown(own)).toBe(true)
    expect(own?.warnings.join()).toMatch(/the call starts other threads/)
  })

  it('calls that are compared with each other are timed on the same memory', async () => {
    // Of the same values: by other ones it would be found out to go by the address.
    const inputs = { x: inputSpec.parse({ shape: [64, 64], distribution: 'ones', seed: 0 }) }
    const against = [{ op: 'traps::address' }]
    const { rows } = await timed(request('traps::address', { inputs, against }))
    expect(rows.map((row) => [row.refused, isShown(row)])).toEqual([
      ['', true],
      ['', true],
    ])
    expect(rows[1]?.ratio).toBeDefined()
  })

  it('a call that writes to its inputs gets inputs of its own', async () => {
    const against = [{ op: 'traps::scribbles' }, 'x.mul_(2)', 'x + x']
    const { rows } = await timed(request('traps::honest', { against }))
    expect(rows[3]?.variant).toBe('x + x')
    expect(rows[3]?.refused).toBe('')
    expect(rows[3]?.ratio).toBeDefined()
  })

  it('a time shorter than any machine can reach is refused', async () => {
    const { rows } = await timed(request('traps::honest', { bytes: '1e6 * nbytes(x)' }))
    expect(rows[0]?.summary).toBeUndefined()
    expect(rows[0]?.refused).toMatch(/this machine needs at least/)
  })

  it('a timing while other processes keep the machine busy gets a warning', async () => {
    // Half of the cores: that is enough for a warning, and the ceilings are measured in a third of the time.
    const busy: ChildProcess[] = Array.from({ length: Math.ceil(os.cpus().length / 2) }, () =>
      spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
    )
    try {
      const asked = [request('traps::honest', { seconds: 0.3 })]
      const run = await workbench.timings.run(traps(), asked, { measureCeilings: true })
      const { rows, ceilings, ceilingsDoubt } = unwrap(run)
      expect(rows[0]?.warnings.join()).toMatch(/Other programs kept .* cores busy/)
      // What the machine can do at most was measured, and is not believed.
      expect(ceilings?.othersBusy).toBeGreaterThan(0.1)
      expect(ceilingsDoubt).toMatch(/higher than shown, because other programs kept .* cores busy/)
    } finally {
      for (const one of busy) one.kill('SIGKILL')
    }
  })
})
