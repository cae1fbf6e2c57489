import os from 'node:os'

import { lostConnectionCode } from '../../contract/host-calls'
import type { HostExit, StackFrame } from '../../contract/outcome'
import { findOnPath } from '../toolchain/find-on-path'
import type { CrashRecord } from './crash-report'

/**
 * Why the engine itself ended a host, when it did. `stopped`: all that it does is unwanted. `replaced`: one call is, or
 * its library is an older one; what else was asked of it is still wanted. `broken`: its messages cannot be read.
 */
export type KillReason =
  | 'stopped'
  | 'replaced'
  | 'timeout'
  | 'output'
  | 'unresponsive'
  | 'broken'
  | 'temporary-files'
  | 'device'

export interface ExitFacts {
  generation: number
  code: number | null
  signal: string | null
  killed: KillReason | undefined
  /** Bytes that a call may print, and that its temporary files may have. */
  limits: { outputBytes: number; temporaryBytes: number }
  /** Of a host that was ended as `broken`: what came instead of a message; "" when its connection was closed. */
  cameInstead: string
  /** Of a host that was ended as `device`: what its device says; "" else. */
  deviceError: string
  /** What the engine knows the host was doing; the record's own phase comes first. */
  phase: string
  /** After which it was ended for its time, or by the user; 0 where it ended otherwise. */
  seconds: number
  lastOutput: string
  /** The record that tells of the end, when the host left one. */
  record: CrashRecord | undefined
  /** A stack asked for before a host was ended for its time. */
  dump: CrashRecord | undefined
  stack: StackFrame[]
}

const heapWords =
  /(free\(\)|malloc\(\)|realloc\(\)|munmap_chunk\(\)|calloc\(\)|double free|corrupted|invalid pointer|corruption|unaligned tcache|largebin)[^\n]*/

function signalName(number: number): string {
  const entry = Object.entries(os.constants.signals).find(([, value]) => value === number)
  return entry ? entry[0] : `signal ${number}`
}

function place(stack: readonly StackFrame[]): string {
  const frame = stack.find((candidate) => candidate.isUser)
  if (!frame?.file) return ''
  const symbol = frame.symbol.replace(/\(.*$/, '')
  return ` at ${frame.file.split('/').at(-1) ?? ''}:${frame.line ?? 0}${symbol === '' ? '' : `, in ${symbol}`}`
}

const processCount = (count: number): string =>
  count === 1 ? 'one process' : `${count.toLocaleString('en')} processes`

function bytes(count: number): string {
  return count >= 2 ** 30
    ? `${(count / 2 ** 30).toFixed(1)} GiB`
    : `${Math.round(count / 2 ** 20)} MiB`
}

type Reading = Pick<HostExit, 'reason' | 'message'>

/** SI_KERNEL: for an address that no pointer can have, the processor reports 0. */
const codeWithoutAddress = 128

function closedDescriptors(doing: string): Reading {
  return {
    reason: 'descriptors',
    message: `A file descriptor that the process needs was closed${doing}. Code may only close descriptors that it opened itself.`,
  }
}

function readSignal(record: CrashRecord, facts: ExitFacts, doing: string): Reading {
  const at = place(facts.stack)
  const address = `0x${record.address.toString(16)}`
  const isAbort = ['SIGABRT', 'SIGTRAP', 'SIGILL'].includes(signalName(record.signal))
  if (isAbort && record.closedDescriptors > 0) return closedDescriptors(doing)
  const heap = heapWords.exec(facts.lastOutput)?.[0]
  const assertion = /[^\n]*Assertion [`'].*?' failed\.?/.exec(facts.lastOutput)?.[0]
  switch (signalName(record.signal)) {
    case 'SIGSEGV':
    case 'SIGBUS':
      if (record.overflow) {
        if (record.chain > 0) {
          const count = record.chain.toLocaleString('en')
          return {
            reason: 'stack-overflow',
            message: `The graph is too deep${doing}: one chain has ${count} operators, so libtorch's passes overflow the stack.`,
          }
        }
        return {
          reason: 'stack-overflow',
          message: `Stack overflow${doing}${at}: infinite recursion, or a very large local array.`,
        }
      }
      if (record.code === codeWithoutAddress) {
        return {
          reason: 'segfault',
          message: `Segmentation fault${doing}${at}: access through a pointer that is not valid (the processor does not report its address).`,
        }
      }
      return {
        reason: 'segfault',
        message:
          record.address < 4096n
            ? `Segmentation fault${doing}${at}: access through a null pointer (address ${address}).`
            : `Segmentation fault${doing}${at}: access to address ${address}, which the system does not allow.`,
      }
    case 'SIGFPE':
      return {
        reason: 'arithmetic',
        message: `Integer division by zero, or overflow of an integer division${doing}${at}.`,
      }
    case 'SIGABRT':
      if (heap !== undefined) {
        return {
          reason: 'heap-corruption',
          message: `Heap corruption${doing}: the allocator says "${heap}". The allocator noticed the damage${at}. The damage itself happened earlier.`,
        }
      }
      if (assertion !== undefined)
        return { reason: 'abort', message: `Assertion failed${doing}: ${assertion.trim()}` }
      return { reason: 'abort', message: `abort() was called${doing}${at}.` }
    case 'SIGTRAP':
    case 'SIGILL':
      // Electron's allocator ends the process by a trap when it finds its own structures damaged.
      return record.frames.length > 0 && facts.stack[0]?.isUser === true
        ? {
            reason: 'illegal-instruction',
            message: `Illegal instruction${doing}${at}. Possible causes: __builtin_trap, undefined behaviour, or code for another processor.`,
          }
        : {
            reason: 'heap-corruption',
            message: `Heap corruption${doing}: the allocator found its data damaged and ended the process${at}.`,
          }
    default:
      return {
        reason: 'unknown',
        message: `The process that runs operators was ended by ${signalName(record.signal)}${doing}${at}.`,
      }
  }
}

/** Of a call that the user stopped. */
function afterHowLong({ seconds, stack }: ExitFacts): string {
  if (seconds === 0) return ''
  const at = place(stack)
  return ` after ${seconds.toFixed(1)} s${at === '' ? '' : `; the call was${at}`}`
}

function read(facts: ExitFacts): Reading {
  const phase = facts.record?.phase || facts.phase
  const doing = phase === '' ? '' : ` (${phase})`
  const { record } = facts
  if (facts.killed === 'stopped' || facts.killed === 'replaced')
    return { reason: 'stopped', message: `Stopped${doing}${afterHowLong(facts)}.` }
  if (facts.killed === 'timeout') {
    return {
      reason: 'timeout',
      message: `No result within the limit of ${facts.seconds.toFixed(0)} s${doing}. When Opsmith stopped the call, the call was${place(facts.stack) || ' still running'}.`,
    }
  }
  if (facts.killed === 'unresponsive') {
    return {
      reason: 'timeout',
      message: `The process that runs operators stopped answering and was ended${doing}.`,
    }
  }
  if (facts.killed === 'output') {
    return {
      reason: 'output',
      message: `The process that runs operators was stopped, because one call printed more than the limit (${bytes(facts.limits.outputBytes)})${doing}.`,
    }
  }
  if (facts.killed === 'temporary-files') {
    return {
      reason: 'temporary-files',
      message: `The process that runs operators was stopped, because its temporary files together were larger than the limit (${bytes(facts.limits.temporaryBytes)})${doing}.`,
    }
  }
  if (facts.killed === 'device') {
    return {
      reason: 'device',
      message: `A GPU kernel failed, so the process that runs operators can no longer use the device${doing}: ${facts.deviceError.replace(/\.$/, '')}.`,
    }
  }
  if (record?.reason === 'memory') {
    const users =
      record.processes === 0
        ? 'the process that runs operators used'
        : `the process that runs operators and ${processCount(record.processes)} that it started used`
    return {
      reason: 'out-of-memory',
      message: `Out of memory${doing}: ${users} ${bytes(record.residentBytes)}, more than the limit.`,
    }
  }
  if (record?.reason === 'processes') {
    return {
      reason: 'processes',
      message: `Too many processes${doing}: the operator started ${processCount(record.processes)}, more than the limit.`,
    }
  }
  if (record?.reason === 'terminate') {
    return {
      reason: 'terminate',
      message: `std::terminate${doing}: ${record.message === '' ? 'an uncaught exception' : record.message}`,
    }
  }
  if (record?.reason === 'exit') {
    return { reason: 'exit', message: `The operator called exit(${record.status})${doing}.` }
  }
  // Before the signal: Node itself may fail over such bytes.
  if (facts.killed === 'broken' && facts.cameInstead !== '') {
    return {
      reason: 'descriptors',
      message: `The operator wrote to a file descriptor that it does not own${doing}: Opsmith received ${facts.cameInstead}.`,
    }
  }
  if (record?.reason === 'signal') return readSignal(record, facts, doing)
  if (facts.code === lostConnectionCode || facts.killed === 'broken') {
    return closedDescriptors(doing)
  }
  if (facts.signal === 'SIGKILL') {
    return {
      reason: 'killed',
      message: `The process that runs operators was killed from outside${doing}: by a user, or by the system because memory ran out.`,
    }
  }
  if (facts.signal !== null)
    return {
      reason: 'killed',
      message: `The process that runs operators was ended by ${facts.signal} from outside${doing}.`,
    }
  if (facts.code === 0 || facts.code === null) {
    return {
      reason: phase === '' ? 'unknown' : 'exit',
      message: `The process that runs operators ended${doing}${facts.code === 0 ? ' with exit code 0' : ''}.`,
    }
  }
  return {
    reason: 'exit',
    message: `The process that runs operators ended with exit code ${facts.code}${doing}.`,
  }
}

/** Where the kernels of an op host run. `checked`: on the virtual GPU, and they report mistakes. */
export type KernelPlace = 'gpu' | 'virtual' | 'checked'

const kernelChecks =
  '“Check kernels” in the Kernels panel, or run with --check-kernels: the report shows the kernel, the thread and the line.'

/** What shows which thread of which kernel made the wrong access; on an NVIDIA GPU, NVIDIA's own check of memory. */
function kernelAdvice(place: KernelPlace): string {
  if (place === 'checked')
    return 'The report of the kernel checks (Kernels panel) shows the kernel, the thread and the line.'
  if (place === 'virtual') return `Turn on ${kernelChecks}`
  const name = 'compute-sanitizer'
  const tool = findOnPath(name) ?? findOnPath(`/usr/local/cuda/bin/${name}`)
  return tool === undefined
    ? `On an NVIDIA GPU, ${name} (part of the CUDA toolkit) shows which GPU kernel and which thread failed, and at which address.`
    : // The tool writes to the folder for temporary files of the system.
      `On an NVIDIA GPU, this command shows which GPU kernel and which thread failed, and at which address: ${tool} --target-processes all opsmith run --no-sandbox`
}

/** What to do next: code is to mend only where the end came from inside. */
export function adviceAfter(exit: HostExit, kernels: KernelPlace): string {
  const safe = 'Your sources are safe'
  if (exit.reason === 'device')
    return `${safe}; the next call starts a new process. ${kernelAdvice(kernels)}`
  if (exit.reason === 'killed') return `${safe}; try again.`
  if (exit.reason === 'stack-overflow' && exit.graphIsDeep === true)
    return `${safe}; capture a part of the function, or fewer iterations of its loops.`
  if (exit.reason === 'out-of-memory')
    return `${safe}; fix the code and build again, or raise “Memory limit of an op host” in Settings.`
  const fix = `${safe}; fix the code and build again.`
  const isOfMemory = exit.reason === 'segfault' || exit.reason === 'heap-corruption'
  // Unchecked kernels of the virtual GPU write into the process's own memory.
  return isOfMemory && kernels === 'virtual'
    ? `${fix} If a kernel is the cause, turn on ${kernelChecks}`
    : fix
}

/** One sentence and one word for how a host ended, from every trace it left. */
export function explainExit(facts: ExitFacts): HostExit {
  const { reason, message } = read(facts)
  return {
    generation: facts.generation,
    reason,
    message,
    phase: facts.record?.phase || facts.phase,
    ...(facts.record?.reason === 'signal'
      ? { signal: signalName(facts.record.signal) }
      : facts.signal !== null
        ? { signal: facts.signal }
        : {}),
    ...(facts.record?.reason === 'exit'
      ? { exitCode: facts.record.status }
      : facts.code !== null
        ? { exitCode: facts.code }
        : {}),
    ...(facts.record && facts.record.chain > 0 ? { graphIsDeep: true } : {}),
    stack: facts.stack,
    lastOutput: facts.lastOutput,
  }
}
