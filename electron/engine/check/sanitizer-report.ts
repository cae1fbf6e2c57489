/** One frame of a report, as far as the sanitizer itself could tell. */
export interface ReportFrame {
  /** "0x7f12ab" */
  address: string
  /** The file that the address lies in; "" when the sanitizer named the source instead. */
  module: string
  /** Within the module. */
  offset: bigint
  symbol: string
  file?: string
  line?: number
}

/** A place in a source as UBSan names it, with the path that the compiler was given. */
export interface ReportPlace {
  file: string
  line: number
  column: number
}

/** Where an address lies, seen from an allocation. */
export interface ReportRegion {
  side: 'before' | 'after' | 'inside'
  /** Bytes from the allocation's end, from its beginning (before), or into it (inside). */
  distance: number
  bytes: number
  /** Address of its first byte. */
  begin: number
}

/** One finding of ASan or UBSan. */
export interface SanitizerReport {
  sanitizer: 'address' | 'undefined'
  /** The sanitizer's word: "heap-buffer-overflow", "signed-integer-overflow". */
  kind: string
  /** The rest of what its headline says. */
  message: string
  access?: 'read' | 'write'
  /** Of the access. */
  bytes?: number
  /** The address that was accessed. */
  address?: number
  region?: ReportRegion
  /** Of a local or global variable, as the report names it: "'window' (line 61)". */
  variable?: string
  /** Where UBSan says it is. */
  place?: ReportPlace
  stack: ReportFrame[]
  allocated: ReportFrame[]
  freed: ReportFrame[]
}

const frameLine = /^\s*#\d+ (0x[\da-f]+)\s*(.*)$/
const inModule = /^(?:in (.*?)\s*)?\((.+)\+(0x[\da-f]+)\)(?:\s+\(BuildId: [\da-f]+\))?$/
const inSource = /^in (.+?) ([^\s()][^()]*?):(\d+)(?::\d+)?$/

function readFrame(line: string): ReportFrame | undefined {
  const found = frameLine.exec(line)
  if (!found) return undefined
  const address = found[1] ?? ''
  const rest = found[2] ?? ''
  const module = inModule.exec(rest)
  if (module) {
    return {
      address,
      module: module[2] ?? '',
      offset: BigInt(module[3] ?? 0),
      symbol: module[1] ?? '',
    }
  }
  const source = inSource.exec(rest)
  const nowhere = { address, module: '', offset: 0n }
  if (!source) return { ...nowhere, symbol: rest.replace(/^in /, '') }
  return { ...nowhere, symbol: source[1] ?? '', file: source[2] ?? '', line: Number(source[3]) }
}

/** Of native/runtime/operator_check/allocation_log.h. */
const traced = /^opsmith: allocated \[(0x[\da-f]+),/
const asanHead = /==\d+==\s?ERROR: AddressSanitizer: (.*)$/
const ubsanHead = /^(.+?):(\d+):(\d+): runtime error: (.*)$/
const summary = /^SUMMARY: (?:Address|UndefinedBehavior)Sanitizer: ([\w-]+)/
const accessed = /^(READ|WRITE) of size (\d+) at (0x[\da-f]+)/
const faulted = /caused by a (READ|WRITE) memory access/
const located =
  /is located (\d+) bytes (before|after|inside of|to the left of|to the right of) (\d+)-byte region \[(0x[\da-f]+),/
const local = /^\s*\[\d+, \d+\) ('[^']*'(?: \(line \d+\))?) <== /
const global =
  /is located \d+ bytes (?:before|after|inside of|to the \w+ of) global variable ('[^']*')/
const headAddress = /\bon (?:unknown )?address (0x[\da-f]+)|double-free on (0x[\da-f]+)/

/** gcc's UBSan, and clang's without report_error_type, say so in words only. */
const undefinedKinds: readonly (readonly [RegExp, string])[] = [
  [/^signed integer overflow/, 'signed-integer-overflow'],
  [/^unsigned integer overflow/, 'unsigned-integer-overflow'],
  [/^negation of/, 'signed-integer-overflow'],
  [/^(left|right) shift of|^shift exponent/, 'invalid-shift'],
  [/^division by zero/, 'integer-divide-by-zero'],
  [/out of bounds for type|index -?\d+ out of bounds/, 'out-of-bounds-index'],
  [/misaligned address/, 'misaligned-pointer-use'],
  [/null pointer of type/, 'null-pointer-use'],
  [/^null pointer (passed|returned)|declared to never (be|return) null/, 'invalid-null-argument'],
  [/insufficient space for an object/, 'object-size-mismatch'],
  [/^load of value/, 'invalid-value-load'],
  [
    /^pointer index expression|zero offset to null|^addition of|non-zero offset/,
    'pointer-overflow',
  ],
  [/without returning a value/, 'missing-return'],
  [/unreachable program point/, 'unreachable-call'],
  [/variable length array bound/, 'non-positive-vla-index'],
  [/is outside the range of representable values/, 'float-cast-overflow'],
  [/through pointer to incorrect function type/, 'function-type-mismatch'],
  [/alignment assumption|^assumption of/, 'alignment-assumption'],
]

function undefinedKind(message: string): string {
  return undefinedKinds.find(([pattern]) => pattern.test(message))?.[1] ?? 'undefined-behaviour'
}

/** What the first line of an ASan report is about, should the summary be missing. */
function addressKind(headline: string): string {
  if (headline.startsWith('attempting double-free')) return 'double-free'
  if (headline.startsWith('attempting free on address')) return 'bad-free'
  if (headline.startsWith('requested allocation size')) return 'allocation-size-too-big'
  return /^[\w-]+/.exec(headline)?.[0] ?? 'unknown-crash'
}

function begin(line: string): SanitizerReport | undefined {
  const frames = { stack: [], allocated: [], freed: [] }
  const asan = asanHead.exec(line)
  if (asan) {
    const message = asan[1] ?? ''
    const at = headAddress.exec(message)
    const address = Number(at?.[1] ?? at?.[2] ?? 0)
    return {
      sanitizer: 'address' as const,
      kind: addressKind(message),
      message,
      ...frames,
      ...(at ? { address } : {}),
    }
  }
  const ubsan = ubsanHead.exec(line)
  if (!ubsan) return undefined
  const message = ubsan[4] ?? ''
  return {
    sanitizer: 'undefined' as const,
    kind: undefinedKind(message),
    message,
    ...frames,
    place: { file: ubsan[1] ?? '', line: Number(ubsan[2]), column: Number(ubsan[3]) },
  }
}

/** "to the right of" is what older runtimes say. */
function sideOf(words: string): ReportRegion['side'] {
  if (words.startsWith('inside')) return 'inside'
  return words === 'after' || words === 'to the right of' ? 'after' : 'before'
}

function readFact(report: SanitizerReport, line: string): void {
  const access = accessed.exec(line) ?? faulted.exec(line)
  if (access) {
    report.access = access[1] === 'WRITE' ? 'write' : 'read'
    if (access[2] !== undefined) report.bytes = Number(access[2])
  }
  const region = located.exec(line)
  if (region) {
    report.region = {
      side: sideOf(region[2] ?? ''),
      distance: Number(region[1]),
      bytes: Number(region[3]),
      begin: Number(region[4]),
    }
  }
  const variable = local.exec(line) ?? global.exec(line)
  if (variable?.[1] !== undefined) report.variable = variable[1]
}

/** A sanitizer's log, and ours of the allocations before. */
export interface SanitizerLog {
  /** In the order written. */
  reports: SanitizerReport[]
  /** Stacks of libtorch's allocations by the address of the first byte. */
  allocations: Map<number, ReportFrame[]>
}

/** The line after which a stack of another kind follows; undefined where the lines before go on. */
function stackBegun(report: SanitizerReport, line: string): ReportFrame[] | undefined {
  if (/^(previously )?allocated by thread/.test(line)) return report.allocated
  if (/^freed by thread/.test(line)) return report.freed
  // A thread's creation, the frame of a local variable: of no use.
  if (/^Thread T\d+ .*created by|is located in stack of thread/.test(line)) return []
  return undefined
}

/**
 * Reads reports of clang's and of gcc's runtime, which are both LLVM's compiler-rt, symbolized or not,
 * among whatever else was written.
 */
export function parseSanitizerLog(text: string): SanitizerLog {
  const log: SanitizerLog = { reports: [], allocations: new Map() }
  let current: SanitizerReport | undefined
  let into: ReportFrame[] = []
  for (const line of text.split('\n')) {
    const allocation = traced.exec(line)
    const next = begin(line)
    const frame = readFrame(line)
    if (allocation) {
      into = []
      log.allocations.set(Number(allocation[1]), into)
    } else if (next) {
      current = next
      into = next.stack
      log.reports.push(next)
    } else if (frame) {
      into.push(frame)
    } else if (current) {
      into = stackBegun(current, line) ?? into
      const kind = summary.exec(line)?.[1]
      // gcc's UBSan calls everything so.
      if (kind !== undefined && kind !== 'undefined-behavior') current.kind = kind
      readFact(current, line)
    }
  }
  return log
}
