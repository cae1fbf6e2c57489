import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { timeKinds } from '../../electron/contract/time-trace'
import {
  readClangTrace,
  readGccReport,
  templateName,
  TimeTracer,
  traceEventsOf,
} from '../../electron/engine/compile/time-trace'
import { buildSpans } from '../../renderer/features/build/time-spans'
import { root } from '../support/installation'

/** What clang 19 and g++ 12 wrote of a source that includes <vector> and a header of its own. */
const recorded = (name: string): string =>
  fs.readFileSync(path.join(root, 'test/cases/language/time-trace', name), 'utf8')

describe("clang's trace", () => {
  const read = readClangTrace(recorded('clang-19.json'))!

  it('the phases add up to the whole', () => {
    const { headers, templates, frontEnd, backEnd, other } = read.phases!
    const whole = read.events.seconds[0] ?? 0
    expect(read.names[read.events.name[0] ?? -1]).toBe('ExecuteCompiler')
    expect(headers + templates + frontEnd + backEnd + other).toBeCloseTo(whole, 1)
    expect(headers).toBeCloseTo(2.03, 2)
    expect(backEnd).toBeGreaterThan(0)
  })

  it('each header that the source includes has its time', () => {
    expect(read.costs[0]).toMatchObject({
      kind: 'header',
      name: '/usr/include/c++/12/vector',
      count: 1,
    })
  })

  it('spans are inside the spans that contain them', () => {
    const { start, seconds, parent, kind } = read.events
    parent.forEach((holder, id) => {
      if (holder < 0) return
      expect(holder).toBeLessThan(id)
      expect(start[id]).toBeGreaterThanOrEqual(start[holder] ?? 0)
      expect(start[id]).toBeLessThan((start[holder] ?? 0) + (seconds[holder] ?? 0))
    })
    const kinds = new Set(kind.map((one) => timeKinds[one]))
    expect(kinds).toContain('header')
    expect(kinds).toContain('backEnd')
  })

  it('a file that is no trace gives nothing', () => {
    expect(readClangTrace('')).toBeUndefined()
    expect(readClangTrace('{"traceEvents":[]}')).toBeUndefined()
  })
})

it('all instances of a template have one name', () => {
  expect(templateName('std::vector<int, std::allocator<int>>::push_back')).toBe(
    'std::vector::push_back',
  )
  expect(templateName('a::operator<<<char>')).toBe('a::operator<<')
  expect(templateName('a<int>::operator->')).toBe('a::operator->')
  expect(templateName('a<(b<1>())>::operator<=><c>')).toBe('a::operator<=>')
})

describe("g++'s report", () => {
  it('the report gives the sum of each phase', () => {
    const phases = readGccReport(recorded('g++-12.txt'))!
    // Wall time: parsing 1.07, setup 0.01, deferred 0.14, of it templates 0.33; generation 0.32; all 1.54.
    expect(phases.templates).toBeCloseTo(0.33)
    expect(phases.frontEnd).toBeCloseTo(0.89)
    expect(phases.backEnd).toBeCloseTo(0.32)
    expect(phases.other).toBeCloseTo(0)
    expect(readGccReport('error: no')).toBeUndefined()
  })

  it("the report is not part of the compiler's messages", () => {
    const tracer = new TimeTracer('g++')
    const compile = { label: 'op.cpp', start: 0, seconds: 1.6, isCxx: true }
    const warning = 'op.cpp:1:1: warning: unused\n'
    expect(tracer.takeCompile(compile, '/none', warning + recorded('g++-12.txt'))).toBe(warning)
    expect(
      tracer.takeCompile({ ...compile, label: 'two.cpp' }, '/none', recorded('g++-12.txt')),
    ).toBe('')
    expect(tracer.takeCompile({ ...compile, label: 'k.cu', isCxx: false }, '/none', '')).toBe('')
    const trace = tracer.trace()
    expect(trace.files.map(({ phases }) => phases?.backEnd)).toEqual([0.32, 0.32, undefined])
    expect(trace.remarks).toEqual([
      'g++ reports only totals. clang also reports the time of each header and template.',
      'For k.cu, the compiler reported only the total time, not the time of each header and template.',
    ])
  })
})

it('files are drawn one below the other, link and load last, and written for Perfetto', () => {
  const base = { costs: [], names: ['ExecuteCompiler', 'a.h'] }
  const events = { name: [0, 1], kind: [0, 2], start: [0, 0.1], seconds: [1, 0.5], parent: [-1, 0] }
  const none = { name: [], kind: [], start: [], seconds: [], parent: [] }
  const trace = {
    files: [
      { ...base, label: 'a.cpp', start: 0, seconds: 1.1, events },
      { ...base, label: 'b.cu', start: 0.2, seconds: 2, events: none },
    ],
    link: { label: 'lib.so', start: 2.2, seconds: 0.1 },
    headers: [],
    templates: [],
    remarks: [],
  }
  const named = buildSpans(trace, 0.01)
  const shown = named.spans.start.map((start, id) => [
    named.name(id),
    named.kind(id),
    named.spans.row[id],
    Math.round(start / 1e6),
  ])
  expect(shown).toEqual([
    ['a.cpp', 'file', 0, 0],
    ['ExecuteCompiler', 'file', 1, 0],
    ['a.h', 'header', 2, 100],
    ['b.cu', 'file', 3, 200],
    ['link lib.so', 'link', 4, 2200],
    ['load', 'load', 4, 2300],
  ])
  const { traceEvents } = traceEventsOf(trace, 0.01) as {
    traceEvents: { ph: string; dur: number }[]
  }
  expect(traceEvents.filter(({ ph }) => ph === 'X')).toHaveLength(6)
  expect(traceEvents.at(-1)?.dur).toBeCloseTo(10_000)
})
