import path from 'node:path'

import type {
  PlacedFinding,
  SanitizerCheck,
  SanitizerEvidence,
} from '../../contract/operator-check'
import type { StackFrame } from '../../contract/outcome'
import type { SanitizedCall } from '../../contract/sanitize'
import { locateFrames } from '../host/symbolize'
import type { ReportFrame, SanitizerReport } from './sanitizer-report'

const checkOf: Record<SanitizerReport['sanitizer'], SanitizerCheck> = {
  address: 'address_sanitizer',
  undefined: 'undefined_behaviour_sanitizer',
}

/** Told of an operator's calls; the others repeat what these say. */
const mostFindings = 20

const adviceFor: readonly (readonly [RegExp, string])[] = [
  [/use-after-free/, 'Keep the tensor that owns the memory alive while its pointer is in use.'],
  [
    /double-free|bad-free|(dealloc|delete-type)-mismatch/,
    'Free memory once, with the function that matches its allocation.',
  ],
  [
    /use-after-(return|scope)/,
    'Keep the variable alive while a pointer or a reference to it is in use.',
  ],
  [/param-overlap/, 'The source and the destination overlap: copy with std::memmove.'],
  [/param|size-too-big|alloc(array)?-overflow/, 'Check how the size is computed.'],
  [/overflow on|-overflow$|underflow/, 'Check the bounds of the loop, or of the copy.'],
  [/shift/, 'Shift an unsigned number, by fewer bits than its width.'],
  [/divide/, 'Check that the divisor is not 0.'],
  [
    /misaligned/,
    'Copy the bytes with std::memcpy, or use an address with the alignment of the type.',
  ],
  [/null/, 'Check the pointer for null. The data pointer of a tensor without elements is null.'],
  [/SEGV|BUS/, 'The address is not valid: find where the pointer was computed.'],
]
const overflowAdvice = 'Compute in int64_t, or in an unsigned type if the result must wrap.'

function adviceOf(kind: string): string {
  if (kind.endsWith('integer-overflow')) return overflowAdvice
  if (kind === 'stack-overflow') return 'Look for infinite recursion or a very large local array.'
  return adviceFor.find(([pattern]) => pattern.test(kind))?.[1] ?? ''
}

const isRuntime = (frame: ReportFrame): boolean =>
  /\/lib(clang_rt\.|asan\.so|ubsan\.so)/.test(frame.module)

/** The project that was built, for what its reports name. */
export interface SanitizedProject {
  folder: string
  /** File name of its library. */
  library: string
}

/** From the sanitizer's own functions at the top, which go, down to the last that is the project's. */
async function framesOf(
  frames: readonly ReportFrame[],
  { folder, library }: SanitizedProject,
): Promise<StackFrame[]> {
  const shown = frames.slice(
    Math.max(
      0,
      frames.findIndex((frame) => !isRuntime(frame)),
    ),
  )
  const named = shown.flatMap((frame): StackFrame[] => {
    if (frame.file === undefined) return []
    const file = path.resolve(folder, frame.file)
    const { address, symbol, line } = frame
    const isUser = file.startsWith(folder + path.sep)
    return [{ address, symbol, module: '', file, ...(line ? { line } : {}), isUser }]
  })
  if (named.length > 0) return named
  const lastOwn = shown.findLastIndex((frame) => path.basename(frame.module) === library)
  const all = await locateFrames(shown.slice(0, lastOwn < 0 ? 0 : lastOwn + 1), [folder])
  return all.slice(0, all.findLastIndex((frame) => frame.isUser) + 1)
}

const bytesText = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`

function placeText(frames: readonly StackFrame[]): string {
  const user = frames.find((frame) => frame.isUser)
  return user?.file === undefined ? '' : `${path.basename(user.file)}:${user.line ?? 0}`
}

/** "0 bytes past the end of x, which has 24 bytes" */
function regionText(report: SanitizerReport, evidence: SanitizerEvidence, input: string): string {
  const { region } = report
  if (!region) return report.variable === undefined ? '' : `, variable ${report.variable}`
  const side = {
    after: `${bytesText(region.distance)} past the end of`,
    before: `${bytesText(region.distance)} before the beginning of`,
    inside: `at byte ${region.distance} of`,
  }[region.side]
  const by = placeText(evidence.allocated)
  const freed = placeText(evidence.freed)
  const what =
    input === ''
      ? `a block of ${bytesText(region.bytes)}${by === '' ? '' : ` allocated at ${by}`}`
      : `input ${input} (${bytesText(region.bytes)})`
  return `, ${side} ${what}${report.freed.length === 0 ? '' : `, freed${freed === '' ? '' : ` at ${freed}`}`}`
}

function reasonOf(report: SanitizerReport, evidence: SanitizerEvidence, input: string): string {
  if (report.sanitizer === 'undefined') {
    // Most begin with their kind in other letters.
    const words = report.message.replace(/^signed integer overflow: /, '')
    return `${report.kind}: ${words}`
  }
  const { access, bytes, kind } = report
  const did =
    access === undefined ? '' : `: ${access}s${bytes === undefined ? '' : ` ${bytesText(bytes)}`}`
  const at =
    report.region === undefined && report.variable === undefined && report.address !== undefined
      ? `${did === '' ? ': ' : ' '}at address 0x${report.address.toString(16)}${report.address < 4096 ? ', near the null pointer' : ''}`
      : ''
  const detail = did === '' && at === '' && !report.region ? detailOf(report) : ''
  return `${kind}${did}${at}${regionText(report, evidence, input)}${detail}`
}

/** Of reports that name no access: "memory ranges [0x1, 0x9) and [0x5, 0xd) overlap". */
function detailOf({ kind, message }: SanitizerReport): string {
  const rest = message.replace(/ in thread T\d+$/, '')
  return rest === kind || rest === '' ? '' : `: ${rest.replace(`${kind}: `, '')}`
}

/** One report with what it is about. */
export interface Said {
  report: SanitizerReport
  /** undefined: it was said while the library was loaded. */
  call: SanitizedCall | undefined
  /** Where libtorch allocated, by address. */
  allocations: ReadonlyMap<number, readonly ReportFrame[]>
}

const nothing = { reason: '', advice: '', input: '', index: [], shownBy: '' }

async function findingOf(
  { report, call, allocations }: Said,
  project: SanitizedProject,
): Promise<PlacedFinding> {
  const { kind, access, bytes, region } = report
  // Ours go all the way through libtorch; the sanitizer's know of what libtorch does not allocate.
  const traced = allocations.get(region?.begin ?? -1)
  const evidence: SanitizerEvidence = {
    kind,
    ...(access === undefined ? {} : { access }),
    ...(bytes === undefined ? {} : { bytes }),
    stack: await framesOf(report.stack, project),
    allocated: await framesOf(traced ?? report.allocated, project),
    freed: await framesOf(report.freed, project),
  }
  // libtorch aligns what it allocates itself, so storage and allocation begin together.
  const input = call?.inputs.find((one) => region?.begin === one.begin)?.name ?? ''
  const user = evidence.stack.find((frame) => frame.isUser)
  // Sources are named relative to the project's folder, in which they were compiled.
  const told = report.place && path.resolve(project.folder, report.place.file)
  const isTold = told?.startsWith(project.folder + path.sep) === true
  return {
    ...nothing,
    check: checkOf[report.sanitizer],
    status: 'failed',
    reason: reasonOf(report, evidence, input),
    advice: adviceOf(kind),
    input,
    shownBy: call ? call.given : 'loading the library',
    ...(isTold
      ? { file: told, line: report.place?.line ?? 0 }
      : user?.file === undefined
        ? {}
        : { file: user.file, line: user.line ?? 0 }),
    sanitizer: evidence,
  }
}

const endWords = {
  refused: 'threw an exception',
  stopped: 'ended the process',
  'timed out': 'timed out',
} as const

function countText(calls: readonly SanitizedCall[]): string {
  const count = (end: SanitizedCall['end']): number =>
    calls.filter((call) => call.end === end).length
  const parts = (['refused', 'stopped', 'timed out'] as const).flatMap((end) =>
    count(end) === 0 ? [] : [`${count(end)} ${endWords[end]}`],
  )
  return `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
}

/**
 * One finding for each fault at each line, first those of the calls that were made first; "passed" of
 * a sanitizer that had nothing to say.
 *
 * @param reports what the sanitizers wrote, of the same calls
 */
export async function findingsOf(
  calls: readonly SanitizedCall[],
  reports: readonly Said[],
  project: SanitizedProject,
): Promise<PlacedFinding[]> {
  const found = new Map<string, PlacedFinding>()
  for (const said of reports) {
    const { report } = said
    // The same instruction, or for UBSan the same place, in another call.
    const { module, offset } = report.stack.find((frame) => !isRuntime(frame)) ?? {}
    const where = report.place ?? { module, offset }
    const raw = `${report.kind} ${Object.values(where).map(String).join(' ')}`
    if (found.has(raw) || found.size >= mostFindings) continue
    found.set(raw, await findingOf(said, project))
  }
  const byPlace = new Map(
    [...found.values()]
      .reverse()
      .map((one) => [`${one.sanitizer?.kind} ${one.file}:${one.line} ${one.input}`, one]),
  )
  const failed = [...byPlace.values()].reverse()
  const quiet = (['address', 'undefined'] as const).filter(
    (sanitizer) => !failed.some((finding) => finding.check === checkOf[sanitizer]),
  )
  const ran = calls.some((call) => call.end === 'ran')
  const passed = quiet.map((sanitizer): PlacedFinding => {
    const status = ran ? 'passed' : 'skipped'
    const reason = ran
      ? `nothing found in ${countText(calls)}`
      : `no call completed: ${countText(calls)}`
    return { ...nothing, check: checkOf[sanitizer], status, reason }
  })
  return [...failed, ...passed]
}
