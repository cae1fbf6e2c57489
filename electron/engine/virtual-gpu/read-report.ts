/** The report of a checked run: addresses become lines of the user's sources. */
import fs from 'node:fs'

import { writtenGpuReport } from '../../contract/gpu-findings'
import type {
  CodePlace,
  GpuFinding,
  GpuReport,
  SourcePlace,
  WrittenGpuReport,
} from '../../contract/gpu-findings'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { gpuFolder } from '../compile/virtual-gpu/flags'
import { locateModulePlaces, ownLine, placeOfSite } from './code-places'
import type { CodeOwner } from './code-places'
import type { ReportKind } from './kernel-reports'
import { readWritten } from './written-file'

/** Reads what the runtime wrote when a whole program ended. */
export async function readGpuReport(file: string, root: string): Promise<Result<GpuReport>> {
  const read = readWritten(file, 'the results of the checks', '--check')
  if (!read.ok) return read
  return ok(await locateReport(writtenGpuReport.parse(read.value), { root, folder: '' }))
}

/** What checked kernels of op hosts report after each call. */
export function checkReports(root: string): ReportKind<GpuReport> {
  return {
    nothing: { launches: 0, accesses: 0, findings: [] },
    read: async (line, folder) => {
      const written = writtenGpuReport.safeParse(line)
      return written.success ? await locateReport(written.data, { root, folder }) : undefined
    },
    merge: (before, more) => ({
      launches: before.launches + more.launches,
      accesses: before.accesses + more.accesses,
      findings: withoutRepeats([...before.findings, ...more.findings]),
    }),
  }
}

/** Finds the lines of a report. */
async function locateReport(report: WrittenGpuReport, owner: CodeOwner): Promise<GpuReport> {
  const places = report.findings.flatMap((one) => [one.place, one.otherPlace])
  const locate = await locator(places, owner)
  const findings = report.findings.map((one): GpuFinding => {
    const { otherPlace, otherThread, ...rest } = one
    const other = locate(otherPlace)
    return {
      ...rest,
      allocated: one.allocated && placeOfSite(one.allocated, owner),
      launched: one.launched && placeOfSite(one.launched, owner),
      place: locate(one.place) ?? { file: '', line: 0 },
      other: other && { ...other, what: one.other, thread: otherThread },
    }
  })
  return { ...report, findings: withoutRepeats(findings.map(asAccumulation)) }
}

const races = new Set<GpuFinding['check']>(['shared-race', 'global-race', 'missing-syncwarp'])
const accumulation = /\+\+|--|[-+*/|&^]=(?!=)/
/** `sums[i] += sums[i + half]` reads what another thread owns: atomics would not order that. */
const ofOtherElement = /\b(\w+)\s*\[[^\]]*\]\s*[-+*/|&^]=.*\b\1\s*\[/

/** `count++` and `sum += x` are a read and a write of one line: what is missing is an atomic. */
function asAccumulation(one: GpuFinding): GpuFinding {
  const { place, other } = one
  if (!races.has(one.check) || other?.file !== place.file || other.line !== place.line) return one
  const line = lineOf(place)
  if (!accumulation.test(line) || ofOtherElement.test(line)) return one
  return {
    ...one,
    check: 'non-atomic-accumulation',
    message: 'Several threads update one element without atomics, so updates are lost.',
    remedy: 'Use atomicAdd, or reduce the values first and let one thread write the result.',
  }
}

function lineOf({ file, line }: SourcePlace): string {
  try {
    return fs.readFileSync(file, 'utf8').split('\n')[line - 1] ?? ''
  } catch {
    return ''
  }
}

/** One line inlined at two places is one mistake. */
function withoutRepeats(findings: readonly GpuFinding[]): GpuFinding[] {
  const kept = new Map<string, GpuFinding>()
  for (const one of findings) {
    const key = JSON.stringify([one.check, one.place, one.other?.file, one.other?.line])
    const before = kept.get(key)
    if (before) before.count += one.count
    else kept.set(key, { ...one })
  }
  return [...kept.values()]
}

async function locator(
  places: readonly (CodePlace | null)[],
  owner: CodeOwner,
): Promise<(place: CodePlace | null) => SourcePlace | null> {
  const framesOf = await locateModulePlaces(
    places.filter((place) => place !== null && 'module' in place),
    owner,
  )
  return (place) => {
    if (place === null) return null
    if ('site' in place) return placeOfSite(place.site, owner)
    return ownLine(framesOf(place), gpuFolder(owner.root))
  }
}
