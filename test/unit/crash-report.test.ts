import { describe, expect, it } from 'vitest'

import type { StackFrame } from '../../electron/contract/outcome'
import { moduleOf, parseCrashReport } from '../../electron/engine/host/crash-report'
import { adviceAfter, explainExit } from '../../electron/engine/host/explain-exit'
import type { ExitFacts } from '../../electron/engine/host/explain-exit'

const report = [
  'reason dump',
  'phase call ns::spin',
  'frame 0x5010',
  'end',
  'reason signal',
  'signal 11',
  'address 0x0',
  'stack 0x700000000000 0x700000800000',
  'phase call my_op::f',
  'frame 0x5010',
  'frame 0x9000',
  'module 0x5000 /b/libmy_op.so',
  'module 0x8000 /t/libtorch_cpu.so',
  'end',
].join('\n')

const frame: StackFrame = {
  address: '0x5010',
  symbol: 'f(at::Tensor)',
  module: 'libmy_op.so',
  file: '/p/op.cpp',
  line: 12,
  isUser: true,
}

function facts(more: Partial<ExitFacts>): ExitFacts {
  return {
    generation: 3,
    code: null,
    signal: null,
    killed: undefined,
    limits: { outputBytes: 64 << 20, temporaryBytes: 8 * 2 ** 30 },
    cameInstead: '',
    deviceError: '',
    phase: 'call my_op::f',
    seconds: 0,
    lastOutput: '',
    record: undefined,
    dump: undefined,
    stack: [],
    ...more,
  }
}

describe('crash reports', () => {
  it('an op host whose device a kernel broke says which call that was', () => {
    const deviceError = 'CUDA error: an illegal memory access was encountered'
    const exit = explainExit(facts({ killed: 'device', deviceError }))
    expect(exit.reason).toBe('device')
    expect(exit.message).toBe(
      `A GPU kernel failed, so the process that runs operators can no longer use the device (call my_op::f): ${deviceError}.`,
    )
    expect(adviceAfter(exit, 'gpu')).toMatch(/new process.*compute-sanitizer/)
    // On the virtual GPU, NVIDIA's tools see nothing.
    expect(adviceAfter(exit, 'virtual')).toMatch(/Turn on “Check kernels”.*--check-kernels/)
    expect(adviceAfter({ ...exit, reason: 'segfault' }, 'virtual')).toMatch(/If a kernel is the/)
    expect(adviceAfter({ ...exit, reason: 'segfault' }, 'gpu')).not.toContain('kernel')
    expect(adviceAfter(exit, 'checked')).toMatch(/report of the kernel checks/)
  })

  it('a crash report is read record by record', () => {
    const [dump, crash] = parseCrashReport(report)
    expect(dump?.reason).toBe('dump')
    expect(crash).toMatchObject({ reason: 'signal', signal: 11, address: 0n, overflow: false })
    expect(crash && moduleOf(crash, 0x9000n)).toEqual({
      path: '/t/libtorch_cpu.so',
      offset: 0x1000n,
    })
  })

  it('a report cut short by a second crash still gives the reason', () => {
    expect(parseCrashReport('reason signal\nsignal 8\nfra')[0]?.signal).toBe(8)
  })

  it.each([
    // SI_KERNEL: the processor does not report the address.
    [128, /through a pointer that is not valid/],
    [1, /through a null pointer/],
  ])('address 0 with si_code %d has its own reason', (code, message) => {
    const crash = report.replace('address 0x0', `code ${code}\naddress 0x0`)
    const exit = explainExit(facts({ record: parseCrashReport(crash)[1] }))
    expect([exit.reason, exit.message]).toEqual(['segfault', expect.stringMatching(message)])
  })

  it('a graph that is too deep is distinguished from a recursion in the program', () => {
    const deep = report
      .replace('address 0x0', 'address 0x6ffffffffff8')
      .replace('phase call my_op::f', 'phase capture f\nchain 60001')
    const exit = explainExit(facts({ record: parseCrashReport(deep)[1] }))
    expect(exit.reason).toBe('stack-overflow')
    expect(exit.message).toMatch(
      /^The graph is too deep \(capture f\): one chain has 60,001 operators, /,
    )
    expect(adviceAfter(exit, 'gpu')).toMatch(/fewer iterations of its loops/)
  })

  it('a crash inside the operator gets the advice to correct the code, an interruption does not', () => {
    const advice = (more: Partial<ExitFacts>): string =>
      adviceAfter(explainExit(facts(more)), 'gpu')
    expect(advice({ signal: 'SIGINT' })).toMatch(/try again\.$/)
    expect(advice({ record: parseCrashReport(report)[1] })).toMatch(/fix the code/)
  })

  it('a stack overflow is recognized by its address', () => {
    const near = report.replace('address 0x0', 'address 0x6ffffffffff8')
    expect(parseCrashReport(near)[1]?.overflow).toBe(true)
  })
})

describe('reasons of crashes', () => {
  const record = parseCrashReport(report)[1]

  it('the reason names the place in the source', () => {
    const exit = explainExit(facts({ record, stack: [frame] }))
    expect(exit.reason).toBe('segfault')
    expect(exit.message).toContain('null pointer')
    expect(exit.message).toContain('op.cpp:12, in f')
  })

  it('heap corruption and failed assertions are distinguished from a plain abort', () => {
    const abort = record && { ...record, signal: 6 }
    expect(
      explainExit(facts({ record: abort, lastOutput: 'free(): invalid pointer\n' })).reason,
    ).toBe('heap-corruption')
    const assertion = "node: op.cpp:4: f: Assertion `x > 0' failed.\n"
    expect(explainExit(facts({ record: abort, lastOutput: assertion })).message).toContain(
      "`x > 0' failed",
    )
    expect(explainExit(facts({ record: abort })).reason).toBe('abort')
  })

  it('a closed descriptor is no heap corruption', () => {
    const abort = record && { ...record, signal: 6 }
    const trap = record && { ...record, signal: 5, frames: [] }
    for (const one of [abort, trap]) {
      const closed = one && { ...one, closedDescriptors: 2 }
      expect(explainExit(facts({ record: closed })).message).toMatch(/descriptor .* was closed/)
    }
    // A null pointer stays one.
    const fault = record && { ...record, closedDescriptors: 2 }
    expect(explainExit(facts({ record: fault })).reason).toBe('segfault')
    expect(explainExit(facts({ killed: 'broken' })).reason).toBe('descriptors')
  })

  it('limits on a tree of processes name how many there were', () => {
    const text = (reason: string): string =>
      `reason ${reason}\nresident 2147483648\nprocesses 300\n`
    const [memory] = parseCrashReport(text('memory'))
    expect(explainExit(facts({ record: memory })).message).toContain('and 300 processes')
    const [processes] = parseCrashReport(text('processes'))
    expect(explainExit(facts({ record: processes }))).toMatchObject({ reason: 'processes' })
  })

  it('a time-out, an exit, lack of memory and a kill by the system are distinguished', () => {
    expect(explainExit(facts({ killed: 'timeout', seconds: 2, signal: 'SIGKILL' })).reason).toBe(
      'timeout',
    )
    expect(explainExit(facts({ code: 3 })).message).toContain('3')
    const memory = record && { ...record, reason: 'memory' as const, residentBytes: 2 ** 31 }
    expect(explainExit(facts({ record: memory })).message).toContain('2.0 GiB')
    expect(explainExit(facts({ signal: 'SIGKILL', phase: '' })).reason).toBe('killed')
  })
})
