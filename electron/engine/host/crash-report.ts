/** What the op host's crash reporter wrote; native/runtime/process/crash_report.h documents the format. */
export interface CrashRecord {
  reason: 'signal' | 'terminate' | 'exit' | 'memory' | 'processes' | 'dump' | 'unknown'
  signal: number
  /** si_code of the signal; 0 where it is not known. */
  code: number
  address: bigint
  overflow: boolean
  phase: string
  /** Operators in one chain of the graph that the call works on; 0 where they are few. */
  chain: number
  message: string
  status: number
  residentBytes: number
  /** Of the op host's descendants, where a limit ended it. */
  processes: number
  /** Descriptors of Node's own that were closed before this. */
  closedDescriptors: number
  frames: bigint[]
  modules: { base: bigint; path: string }[]
}

function blankRecord(): CrashRecord {
  return {
    reason: 'unknown',
    signal: 0,
    code: 0,
    address: 0n,
    overflow: false,
    phase: '',
    chain: 0,
    message: '',
    status: 0,
    residentBytes: 0,
    processes: 0,
    closedDescriptors: 0,
    frames: [],
    modules: [],
  }
}

const reasons = new Set(['signal', 'terminate', 'exit', 'memory', 'processes', 'dump'])

function hex(text: string): bigint {
  try {
    return BigInt(text)
  } catch {
    return 0n
  }
}

/** A fault this close to the end of the stack is an overflow of it. */
const guardBytes = 1n << 20n

/** The records of a report, in the order written; a record cut short by a second crash is kept. */
export function parseCrashReport(text: string): CrashRecord[] {
  const records: CrashRecord[] = []
  let current: CrashRecord | undefined
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ')
    const key = space < 0 ? line : line.slice(0, space)
    const rest = space < 0 ? '' : line.slice(space + 1)
    if (key === 'reason') {
      current = { ...blankRecord(), frames: [], modules: [] }
      if (reasons.has(rest)) current.reason = rest as CrashRecord['reason']
      records.push(current)
      continue
    }
    if (!current) continue
    const [first = ''] = rest.split(' ')
    if (key === 'signal') current.signal = Number(first)
    else if (key === 'code') current.code = Number(first)
    else if (key === 'address') current.address = hex(first)
    else if (key === 'overflow') current.overflow = first === '1'
    else if (key === 'stack') {
      const low = hex(first)
      if (
        current.signal === 11 &&
        current.address < low + 65536n &&
        current.address > low - guardBytes
      ) {
        current.overflow = true
      }
    } else if (key === 'phase') current.phase = rest
    else if (key === 'chain') current.chain = Number(first)
    else if (key === 'message')
      current.message = rest.replaceAll('\\n', '\n').replaceAll('\\\\', '\\')
    else if (key === 'status') current.status = Number(first)
    else if (key === 'resident') current.residentBytes = Number(first)
    else if (key === 'processes') current.processes = Number(first)
    else if (key === 'closed') current.closedDescriptors = Number(first)
    else if (key === 'frame') current.frames.push(hex(first))
    else if (key === 'module')
      current.modules.push({ base: hex(first), path: rest.slice(first.length + 1) })
    else if (key === 'end') current = undefined
  }
  return records
}

/** The module that holds an address: the one with the highest base below it. */
export function moduleOf(
  record: CrashRecord,
  address: bigint,
): { path: string; offset: bigint } | undefined {
  let best: { base: bigint; path: string } | undefined
  for (const module of record.modules) {
    if (module.base <= address && (!best || module.base > best.base)) best = module
  }
  return best && best.path !== '' ? { path: best.path, offset: address - best.base } : undefined
}
