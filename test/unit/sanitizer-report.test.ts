import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import type { SanitizedCall } from '../../electron/contract/sanitize'
import { findingsOf } from '../../electron/engine/check/sanitizer-findings'
import { parseSanitizerLog } from '../../electron/engine/check/sanitizer-report'
import type { SanitizerReport } from '../../electron/engine/check/sanitizer-report'
import { root } from '../support/installation'

/** What the runtimes of clang 19 and gcc 12 wrote of test/cases/sanitize/wrong_memory. */
const read = (name: string): string =>
  fs.readFileSync(path.join(root, 'test/cases/sanitize/reports', `${name}.txt`), 'utf8')
const reportsIn = (name: string): SanitizerReport[] => parseSanitizerLog(read(name)).reports

function only(name: string, sanitizer: SanitizerReport['sanitizer']): SanitizerReport {
  const found = reportsIn(name).filter((report) => report.sanitizer === sanitizer)
  expect(found).toHaveLength(1)
  return found[0]!
}

describe.each(['clang', 'gcc'])('reports of %s', (compiler) => {
  it('the report gives the access and how far outside of which memory it was', () => {
    const report = only(`${compiler}-heap-buffer-overflow`, 'address')
    expect(report).toMatchObject({ kind: 'heap-buffer-overflow', access: 'read', bytes: 4 })
    expect(report.region).toMatchObject({ side: 'after', distance: 0, bytes: 24 })
    expect(report.address! - report.region!.begin).toBe(24)
    expect(report.stack[0]?.module).toBe('/cache/builds/1234/libwrong_memory.so')
    expect(report.stack).toHaveLength(6)
    expect(report.allocated.map((frame) => path.basename(frame.module))).toEqual([
      compiler === 'clang' ? 'libclang_rt.asan-x86_64.so' : 'libasan.so',
      'libc10.so',
      'libc10.so',
      'libtorch_cpu.so',
    ])
    // Those of the thread's creation are nobody's.
    expect(report.freed).toEqual([])
  })

  it('the report has offsets into the library, whose lines are found', () => {
    const [frame] = only(`${compiler}-heap-buffer-overflow`, 'address').stack
    expect(frame?.offset).toBe(compiler === 'clang' ? 0x7e371n : 0x43b2d2n)
    expect(frame?.symbol).toBe('')
  })

  it('the report gives the places where freed memory was allocated and freed', () => {
    for (const kind of ['heap-use-after-free', 'double-free']) {
      const report = only(`${compiler}-${kind}`, 'address')
      expect(report.kind).toBe(kind)
      expect(report.region).toMatchObject({ side: 'inside', distance: 0 })
      expect(report.freed.length).toBeGreaterThan(2)
      expect(report.allocated.length).toBeGreaterThan(2)
    }
  })

  it('the report names the variable on the stack and not the others of its frame', () => {
    const report = only(`${compiler}-stack-buffer-overflow`, 'address')
    expect([report.kind, report.variable]).toEqual(['stack-buffer-overflow', "'window' (line 54)"])
    expect(report.region).toBeUndefined()
    expect(report.stack).toHaveLength(6)
  })

  it('the report gives the address of a fault and the kind of access', () => {
    const report = only(`${compiler}-segv`, 'address')
    expect(report).toMatchObject({ kind: 'SEGV', access: 'read', address: 8 })
    expect(report.bytes).toBeUndefined()
  })

  it('undefined behaviour has a source place and a kind', () => {
    const kinds = {
      'signed-overflow': ['signed-integer-overflow', 76],
      misaligned: ['misaligned-pointer-use', 91],
      shift: [compiler === 'clang' ? 'invalid-shift-exponent' : 'invalid-shift', 85],
    } as const
    for (const [name, [kind, line]] of Object.entries(kinds)) {
      const report = reportsIn(`${compiler}-${name}`)[0]!
      expect([report.kind, report.place?.file, report.place?.line]).toEqual([kind, 'op.cpp', line])
      expect(report.stack.length).toBeGreaterThan(2)
    }
  })

  it('several faults of one call stay separate', () => {
    const kinds = reportsIn(`${compiler}-stack-buffer-overflow`).map((report) => report.kind)
    expect(kinds.at(0)).toBe('out-of-bounds-index')
    expect(kinds.at(-1)).toBe('stack-buffer-overflow')
  })
})

it("frames that gcc's runtime has symbolized are read", () => {
  const report = only('gcc-symbolized', 'address')
  expect(report.kind).toBe('double-free')
  const own = { symbol: 'frees_twice', file: 'op.cpp' }
  expect(report.stack[0]).toMatchObject({ symbol: 'operator delete[](void*)', line: 155 })
  expect(report.stack[1]).toMatchObject({ ...own, line: 71 })
  expect(report.freed[1]).toMatchObject({ ...own, line: 70 })
  expect(report.allocated[1]).toMatchObject({ ...own, line: 69 })
})

it('frames that the sanitizer has symbolized are read', () => {
  const { reports } = parseSanitizerLog(
    [
      '==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x1 bp 0x2 sp 0x3',
      'WRITE of size 8 at 0x60 thread T0',
      '    #0 0x4f1 in (anonymous namespace)::fill(at::Tensor const&) /work/my op/op.cpp:12:3',
      '    #1 0x4f2 in main op.cpp:30',
      '    #2 0x4f3 in __libc_start_main (/lib/libc.so.6+0x23d09)',
      '0x60 is located 4 bytes before 16-byte region [0x64,0x74)',
    ].join('\n'),
  )
  expect(reports[0]?.stack).toEqual([
    expect.objectContaining({
      symbol: '(anonymous namespace)::fill(at::Tensor const&)',
      file: '/work/my op/op.cpp',
      line: 12,
    }),
    expect.objectContaining({ symbol: 'main', file: 'op.cpp', line: 30 }),
    expect.objectContaining({ symbol: '__libc_start_main', module: '/lib/libc.so.6' }),
  ])
  expect(reports[0]?.region).toEqual({ side: 'before', distance: 4, bytes: 16, begin: 0x64 })
})

it("a report after an operator's own output is read, and own output alone gives nothing", () => {
  expect(parseSanitizerLog('epoch 1: loss 0.25\n    #0 is the best\n').reports).toEqual([])
  const text =
    'half a line==7==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x7f in thread T0'
  expect(parseSanitizerLog(text).reports[0]?.kind).toBe('bad-free')
})

describe('findings of the sanitizers', () => {
  const project = { folder: '/work/p', library: 'libwrong_memory.so' }
  const call = (
    process: number,
    given: string,
    more: Partial<SanitizedCall> = {},
  ): SanitizedCall => ({
    given,
    end: 'ran',
    process,
    inputs: [],
    ...more,
  })
  const said = (name: string, of: SanitizedCall | undefined): Parameters<typeof findingsOf>[1] => {
    const { reports, allocations } = parseSanitizerLog(read(name))
    return reports.map((report) => ({ report, call: of, allocations }))
  }

  it('a finding names the input whose memory it is', async () => {
    const begin = only('clang-heap-buffer-overflow', 'address').region!.begin
    const stopped = call(1, '', { end: 'stopped', inputs: [{ name: 'x', begin, bytes: 24 }] })
    const [finding] = await findingsOf(
      [stopped, call(2, 'x transposed')],
      said('clang-heap-buffer-overflow', stopped),
      project,
    )
    expect(finding).toMatchObject({ check: 'address_sanitizer', status: 'failed', input: 'x' })
    expect(finding?.reason).toBe(
      'heap-buffer-overflow: reads 4 bytes, 0 bytes past the end of input x (24 bytes)',
    )
    expect(finding?.sanitizer).toMatchObject({ access: 'read', bytes: 4 })
  })

  it('each fault is reported once, with the first call that showed it, and quiet calls are counted', async () => {
    const calls = [
      call(1, ''),
      call(2, 'x float32[3]'),
      call(3, 'empty tensors', { end: 'refused' }),
    ]
    const findings = await findingsOf(
      calls,
      [...said('gcc-signed-overflow', calls[1]), ...said('gcc-signed-overflow', calls[2])],
      project,
    )
    expect(findings.map(({ check, status, shownBy }) => [check, status, shownBy])).toEqual([
      ['undefined_behaviour_sanitizer', 'failed', 'x float32[3]'],
      ['address_sanitizer', 'passed', ''],
    ])
    expect(findings[0]).toMatchObject({
      file: '/work/p/op.cpp',
      line: 76,
      reason: "signed-integer-overflow: 2147483647 + 1 cannot be represented in type 'int'",
    })
    expect(findings[1]?.reason).toBe('nothing found in 3 calls (1 threw an exception)')
  })

  it('checks without a call are skipped, not passed', async () => {
    const findings = await findingsOf([call(1, '', { end: 'refused' })], [], project)
    expect(findings.map(({ status }) => status)).toEqual(['skipped', 'skipped'])
  })

  it("memory allocated by libtorch is reported at the operator's line that asked for it", () => {
    const log = parseSanitizerLog(
      [
        'opsmith: allocated [0x5090000071c0,0x5090000071d8)',
        '    #0 0x7f0b82b3e000 (/cache/builds/1234/libwrong_memory.so+0x7e000)',
        '',
        read('clang-heap-use-after-free'),
      ].join('\n'),
    )
    const begin = log.reports[0]?.region?.begin ?? 0
    expect(log.allocations.get(begin)?.map((frame) => frame.offset)).toEqual([0x7e000n])
    expect(log.reports[0]?.stack).toHaveLength(6)
  })
})
