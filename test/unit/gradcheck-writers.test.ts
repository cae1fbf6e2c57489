import { describe, expect, it } from 'vitest'

import type { GradcheckOutcome, SearchReport } from '../../electron/contract/gradcheck'
import { errorHeatMap, sweepChart } from '../../electron/cli/verbs/gradcheck/charts'
import { gradcheckHtml } from '../../electron/cli/verbs/gradcheck/html'
import { gradcheckJson } from '../../electron/cli/verbs/gradcheck/json'
import { gradcheckJunit } from '../../electron/cli/verbs/gradcheck/junit'
import type { GradcheckRun } from '../../electron/cli/verbs/gradcheck/run'
import { outcomeLines, searchLines, sweepLines } from '../../electron/cli/verbs/gradcheck/text'
import type { ErrorPicture } from '../../electron/cli/verbs/gradcheck/jacobian-picture'
import { curveOf } from '../../electron/engine/check/eps-sweep'
import { everyElement, readXml } from '../support/read-xml'
import type { XmlElement } from '../support/read-xml'
import { findingOf, outcomeOf, reportOf, worstOf } from './gradcheck-samples'

const nasty = 'a"b<i>&\'\n\u0001]]>\ud800é'

const passing = outcomeOf(0, reportOf([findingOf({ worst: worstOf(1, 1) })]))
const failing = outcomeOf(
  1,
  reportOf([
    findingOf({
      status: 'failed',
      reason: '2 of 4 elements differ',
      cause: 'The sign is wrong.',
      mismatched: 2,
      worst: worstOf(-2, 2),
    }),
    findingOf({ check: 'forward', status: 'skipped', reason: 'check_forward_ad is off' }),
    findingOf({ check: 'reentrant', status: 'not reached', reason: 'backward threw' }),
  ]),
  { name: nasty },
)
const failsAsExpected = outcomeOf(
  2,
  reportOf([findingOf({ status: 'failed', cause: 'Rounding' })]),
  {
    expect: 'failed',
  },
)
const passesAgainstExpectation = outcomeOf(3, reportOf([findingOf({})]), { expect: 'failed' })
const crashed: GradcheckOutcome = {
  entry: 4,
  name: 'my_op::g(x)',
  op: 'my_op::g',
  expect: 'passed',
  verdict: 'error',
  asExpected: false,
  error: { code: 'host.crashed', message: 'Segmentation fault in g' },
}
const outcomes = [passing, failing, failsAsExpected, passesAgainstExpectation, crashed]

function runOf(more: Partial<GradcheckRun> = {}): GradcheckRun {
  return { ok: false, outcomes, pictures: new Map(), sweeps: [], searches: [], ...more }
}

const attribute = (element: XmlElement | undefined, name: string): string =>
  element?.attributes.get(name) ?? ''

describe('JUnit XML', () => {
  const read = readXml(gradcheckJunit(nasty, outcomes, []))
  const suites = read.children
  const casesOf = (suite: number): XmlElement[] =>
    suites[suite]?.children.filter((one) => one.name === 'testcase') ?? []

  it('the XML is well-formed, whatever the names contain', () => {
    expect(attribute(read, 'name')).toContain(`a"b<i>&'\n`)
    expect(suites).toHaveLength(5)
    expect(attribute(suites[1], 'name')).toContain('é')
  })

  it('each check is a case, and failed, skipped and unreached ones are distinguished', () => {
    const [backward, forward, reentrant] = casesOf(1)
    expect(attribute(backward, 'name')).toBe('backward, input x, output 0')
    expect(backward?.children[0]?.name).toBe('failure')
    expect(attribute(backward?.children[0], 'message')).toBe('2 of 4 elements differ')
    expect(backward?.children[0]?.text).toBe('The sign is wrong.')
    expect(attribute(forward?.children[0], 'message')).toBe('check_forward_ad is off')
    expect(attribute(reentrant?.children[0], 'message')).toBe('not checked: backward threw')
    expect(casesOf(0)[0]?.children).toEqual([])
  })

  it('the counts of the XML equal its cases', () => {
    expect(attribute(suites[1], 'tests')).toBe('3')
    expect(attribute(suites[1], 'failures')).toBe('1')
    expect(attribute(suites[1], 'skipped')).toBe('2')
    expect(attribute(suites[4], 'errors')).toBe('1')
    // Of the five: one failure, and one check that passes where it is to fail.
    expect(attribute(read, 'failures')).toBe('2')
    expect(attribute(read, 'tests')).toBe(String(1 + 3 + 1 + 1 + 1))
  })

  it('an expected failure counts as good, and an unexpected pass as bad', () => {
    expect(casesOf(2)[0]?.children).toEqual([])
    expect(casesOf(3)[0]?.children[0]?.name).toBe('failure')
  })

  it('a crash is an error with its message', () => {
    expect(casesOf(4)[0]?.children[0]?.name).toBe('error')
    expect(attribute(casesOf(4)[0]?.children[0], 'message')).toBe('Segmentation fault in g')
  })
})

describe('the results as text', () => {
  it('the text gives the worst element, both values, errors, how many, and the cause', () => {
    const text = outcomeLines(failing).join('\n')
    expect(text).toMatch(/^FAILED /)
    expect(text).toContain('worst at x[0, 1] → output 0[1]: analytical -2, numerical 2')
    expect(text).toContain('absolute error 4.00e+0, relative 2.00e+0')
    expect(text).toContain('2 of 4 elements differ')
    expect(text).toContain('The sign is wrong.')
  })

  it('a check is marked by whether its verdict is the expected one', () => {
    expect(outcomeLines(passing)[0]).toMatch(/^ok /)
    expect(outcomeLines(failsAsExpected).join('\n')).toMatch(/^ok [^]*fails, as expected: Rounding/)
    expect(outcomeLines(passesAgainstExpectation).join('\n')).toMatch(
      /^FAILED [^]*expects it to fail/,
    )
    expect(outcomeLines(crashed).join('\n')).toMatch(/^FAILED [^]*Segmentation fault in g/)
  })

  it('the text gives the error of the previous build and a changed verdict', () => {
    const before = { build: 'k', time: 0, ok: false, error: 0.5 }
    const outcome = outcomeOf(0, { ...reportOf([findingOf({})]), before })
    expect(outcomeLines(outcome)[0]).toContain(
      'largest error 1.00e-9, 5.00e-1 in the previous build (gradcheck failed)',
    )
  })

  it('the arrow points at the recommended eps only', () => {
    const lines = sweepLines(sweep)
    const arrows = lines.filter((line) => line.includes('→'))
    expect(arrows).toHaveLength(1)
    expect(arrows[0]).toMatch(/→ 1e-3 +passes +1\.00e-8/)
    expect(lines.join('\n')).toContain('not implemented for Half')
    const bars = lines.map((line) => (line.match(/█/g) ?? []).length)
    expect(bars[2]).toBeGreaterThan(bars[3] ?? 0)
  })
})

const point = (eps: number, maxAbsolute: number): Parameters<typeof curveOf>[1][number] => ({
  dtype: 'float64',
  eps,
  ok: maxAbsolute < 1e-5,
  maxAbsolute,
  maxRelative: maxAbsolute,
})
const sweep = {
  name: nasty,
  report: {
    op: 'my_op::f',
    seconds: 1,
    curves: [
      curveOf(
        'float64',
        [point(1e-1, 1e-3), point(1e-3, 1e-8), point(1e-5, NaN), point(1e-7, 0.1)],
        '',
      ),
      curveOf('float16', [], 'not implemented for Half'),
    ],
  },
}

const searchReport: SearchReport = {
  op: 'my_op::f',
  seconds: 1,
  tried: 10,
  failed: 2,
  seeds: { x: 7 },
  inputs: {},
  excess: 0.25,
  maxAbsolute: 0.3,
}

describe('a search as text', () => {
  it('the text gives the seeds of the worst point and its excess', () => {
    const text = searchLines({ name: 'f(x)', report: searchReport, bad: true, kept: 3 }).join('\n')
    expect(text).toContain('FAILED f(x): 2 of 10 random points failed')
    expect(text).toContain(
      'worst point (input seeds: x 7): the error is 2.50e-1 above its tolerance',
    )
    expect(text).toContain('added to opsmith.json as gradchecks[3]')
  })
})

describe('the results as JSON', () => {
  const json = gradcheckJson(runOf({ sweeps: [sweep] })) as {
    ok: boolean
    results: Record<string, unknown>[]
    sweeps: { curves: { recommended: number | null }[] }[]
  }

  it('each finding has a row with the worst element', () => {
    expect(json.ok).toBe(false)
    expect(json.results).toHaveLength(7)
    expect(json.results[1]).toMatchObject({
      op: 'my_op::f',
      check: 'backward',
      status: 'failed',
      reason: '2 of 4 elements differ',
      worst: { input: 'x', output: 0, index: [0, 1], analytical: -2, numerical: 2 },
    })
    expect(json.results[2]).not.toHaveProperty('worst')
  })

  it('a check without a verdict is a failed row with the reason', () => {
    expect(json.results[6]).toMatchObject({ status: 'failed', reason: 'Segmentation fault in g' })
  })

  it('a sweep gives the recommended eps', () => {
    expect(json.sweeps[0]?.curves.map((curve) => curve.recommended)).toEqual([1e-3, null])
  })
})

const picture: ErrorPicture = {
  title: nasty,
  failed: true,
  rows: 2,
  columns: 3,
  rowStart: 0,
  columnStart: 0,
  shownRows: 2,
  shownColumns: 3,
  cells: [0, 1e-9, 1e-9, NaN, Infinity, 1e-3],
  cellRows: 2,
  cellColumns: 3,
  worst: { row: 1, column: 2 },
}

describe('pictures of Jacobians and sweeps', () => {
  it('every cell of a Jacobian is drawn once', () => {
    const svg = readXml(errorHeatMap(picture).replace(/<\/svg>.*$/s, '</svg>'))
    const covered = new Set<string>()
    for (const path of everyElement(svg).filter((one) => one.name === 'path')) {
      for (const [, x, y, width] of attribute(path, 'd').matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
        for (let i = 0; i < Number(width); i += 1) {
          const cell = `${Number(x) + i} ${y ?? ''}`
          expect(covered.has(cell)).toBe(false)
          covered.add(cell)
        }
      }
    }
    expect(covered.size).toBe(6)
    // Equal neighbours are one rectangle; none, 1e-9, NaN, Infinity and 1e-3 are four colours and a blank.
    const paths = everyElement(svg).filter((one) => one.name === 'path')
    expect(paths.some((path) => attribute(path, 'd') === 'M1 0h2v1h-2z')).toBe(true)
    expect(paths.filter((path) => attribute(path, 'class') === 'none')).toHaveLength(1)
  })

  it('the worst element of a failure has a ring', () => {
    const svg = readXml(errorHeatMap(picture).replace(/<\/svg>.*$/s, '</svg>'))
    const ring = everyElement(svg).find((one) => one.name === 'circle')
    expect(Number(attribute(ring, 'cx'))).toBeCloseTo((2.5 * 320) / 3, 1)
    expect(errorHeatMap({ ...picture, failed: false })).not.toContain('circle')
  })

  it('each point of a sweep is a dot, hollow where it fails, and one has a ring', () => {
    const svg = readXml(sweepChart(sweep.report))
    const circles = everyElement(svg).filter((one) => one.name === 'circle')
    const count = (kind: string): number =>
      circles.filter((circle) => attribute(circle, 'class') === kind).length
    expect([count('passes'), count('fails'), count('best')]).toEqual([1, 3, 1])
    for (const circle of circles) {
      expect(Number.isFinite(Number(attribute(circle, 'cx')))).toBe(true)
      expect(Number.isFinite(Number(attribute(circle, 'cy')))).toBe(true)
    }
    // Larger steps lie further right, larger errors further up.
    const x = circles.map((circle) => Number(attribute(circle, 'cx')))
    expect(x[0]).toBeGreaterThan(x[1] ?? Infinity)
  })
})

describe('the HTML report', () => {
  const run = runOf({ pictures: new Map([[1, [picture]]]), sweeps: [sweep] })
  const text = gradcheckHtml('Gradchecks of <my_op>', ['clang & co'], run)

  it('the report loads nothing and runs nothing', () => {
    expect(text).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/)
    expect(text).toContain('prefers-color-scheme: dark')
  })

  it('text in the report is never read as markup', () => {
    expect(text).toContain('Gradchecks of &lt;my_op&gt;')
    expect(text).not.toContain('a"b<i>')
    const body = text.slice(text.indexOf('<body>'), text.indexOf('</body>') + 7)
    const closed = body.replace(/<br>/g, '').replace(/<details open>/g, '<details>')
    expect(() => readXml(closed)).not.toThrow()
  })

  it('the report has the cause, the worst element and the crash, with the pictures', () => {
    expect(text).toContain('The sign is wrong.')
    expect(text).toContain('x[0, 1] → output 0[1]')
    expect(text).toContain('Segmentation fault in g')
    expect(text.match(/<svg/g)).toHaveLength(2)
  })
})
