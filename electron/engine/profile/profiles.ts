import path from 'node:path'

import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProfileReport, ProfileRequest, ProfileTrace } from '../../contract/profile'
import type { ProgramSource } from '../../contract/run'
import { placeError } from '../error-place'
import { callOnLibrary } from '../host/call-on-library'
import type { Libraries } from '../host/call-on-library'
import { ioError, writeAtomically } from '../project/files'
import { readManifest } from '../project/read-manifest'
import { chromeTrace } from './chrome-trace'
import { EventTree } from './event-tree'
import { memoryCurves } from './memory-curve'
import { flameGraph, totalsByLine, totalsByOperator } from './totals'

interface ProfileOptions {
  /** Seconds; 0 for none. */
  timeout: number
  signal?: AbortSignal
}

/** What profiles need of the workbench. */
interface ProfileSurroundings extends Libraries {
  /** Waits for the plain build: no other is profiled. */
  settled(folder: string): Promise<Result<null>>
  program(folder: string): Promise<Result<ProgramSource | undefined>>
}

/** A trace with all that is worked out of it. */
export function profileReportOf(
  trace: ProfileTrace,
  backward: boolean,
  profile: number,
): ProfileReport {
  const tree = new EventTree(trace)
  return {
    profile,
    backward,
    trace,
    self: tree.self,
    total: tree.total,
    allocated: tree.allocated,
    places: trace.events.name.map((_, id) => tree.shownPlace(id)),
    operators: totalsByOperator(tree),
    lines: totalsByLine(tree),
    flame: flameGraph(tree),
    memory: memoryCurves(tree),
  }
}

/** The inputs of opsmith.json that the call names, and what the request says of them instead. */
function inputsOf(
  request: Pick<ProfileRequest, 'inputs'>,
  manifest: Manifest,
): ProfileRequest['inputs'] {
  return { ...manifest.inputs, ...request.inputs }
}

/** Profiles of calls, made in the op host; the last few are kept, to be written as a trace. */
export class Profiles {
  private readonly kept = new Map<number, ProfileReport>()
  private next = 1

  constructor(private readonly around: ProfileSurroundings) {}

  /** The project's library is loaded first if it is not. */
  async run(
    folder: string,
    request: Omit<ProfileRequest, 'program'>,
    options: ProfileOptions,
  ): Promise<Result<ProfileReport>> {
    const absolute = path.resolve(folder)
    const settled = await this.around.settled(absolute)
    if (!settled.ok) return settled
    const loaded = await this.around.load(absolute, options)
    if (!loaded.ok) return loaded
    const manifest = await readManifest(absolute)
    if (!manifest.ok) return manifest
    const program = await this.around.program(absolute)
    if (!program.ok) return program
    const trace = await callOnLibrary(
      this.around,
      absolute,
      'profile.run',
      {
        ...request,
        inputs: inputsOf(request, manifest.value),
        ...(program.value ? { program: program.value } : {}),
      },
      { ...options, phase: `profile ${request.op}` },
    )
    if (!trace.ok) return placeError(trace, absolute)
    const report = profileReportOf(trace.value, request.backward, this.next)
    this.next += 1
    this.kept.set(report.profile, report)
    const [oldest] = this.kept.keys()
    if (this.kept.size > mostKept && oldest !== undefined) this.kept.delete(oldest)
    return ok(report)
  }

  /** For a file: "two_layers-backward.trace.json". */
  traceName(profile: number): string {
    const report = this.kept.get(profile)
    const name = (report?.trace.op ?? 'profile').replace(/\W+/g, '_')
    return `${name}${report?.backward === true ? '-backward' : ''}.trace.json`
  }

  /** Writes a profile in the Trace Event Format. */
  async save(profile: number, file: string): Promise<Result<{ path: string; bytes: number }>> {
    const report = this.kept.get(profile)
    if (!report) {
      return err('request.invalid', 'This profile has been let go.', { hint: 'Profile it again.' })
    }
    const text = JSON.stringify(chromeTrace(report))
    try {
      await writeAtomically(file, text)
      return ok({ path: file, bytes: Buffer.byteLength(text) })
    } catch (error) {
      return ioError(error, `write ${file}`)
    }
  }
}

/** As many as a window may still show: a large one takes tens of megabytes. */
const mostKept = 2
