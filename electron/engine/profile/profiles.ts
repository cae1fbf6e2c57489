import type { HostInput } from '../../contract/host-calls'
import type { Manifest } from '../../contract/manifest'
import type { Argument, InputSpec } from '../../contract/manifest-values'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProfileReport, ProfileRequest, ProfileTrace } from '../../contract/profile'
import type { Builds } from '../builds/builds'
import type { CallLimits, Libraries } from '../builds/libraries'
import { placeError } from '../error-place'
import { profilingEnvironment } from '../host/profiling'
import { ioError, writeAtomically } from '../project/files'
import { inputsNamed } from '../project/call-text'
import type { OpenProject, Projects } from '../project/open-project'
import { chromeTrace } from './chrome-trace'
import { EventTree } from './event-tree'
import { memoryCurves } from './memory-curve'
import { flameGraph, totalsByLine, totalsByOperator } from './totals'

interface ProfileServices {
  projects: Projects
  builds: Builds
  libraries: Libraries
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

  constructor(private readonly services: ProfileServices) {}

  /** The project's library is loaded first if it is not. */
  async run(
    folder: string,
    request: Omit<ProfileRequest, 'program'>,
    limits: CallLimits,
  ): Promise<Result<ProfileReport>> {
    const { projects, builds, libraries } = this.services
    const opened = await projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    // No other build is profiled.
    const plain = await builds.waitForPlain(project)
    if (!plain.ok) return plain
    const loaded = await libraries.ensureLoaded(project, limits)
    if (!loaded.ok) return loaded
    const program = await project.program()
    if (!program.ok) return program
    const input = {
      ...request,
      inputs: inputsOf(request, project.manifest),
      ...(program.value ? { program: program.value } : {}),
    }
    const trace = await this.traced(project, input, limits)
    if (!trace.ok) return placeError(trace, project.folder)
    const report = profileReportOf(trace.value, request.backward, this.next)
    this.next += 1
    this.kept.set(report.profile, report)
    const [oldest] = this.kept.keys()
    if (this.kept.size > mostKept && oldest !== undefined) this.kept.delete(oldest)
    return ok(report)
  }

  /** With a device in an op host of its own: CUPTI stays in a process that was profiled, and slows launches down. */
  private async traced(
    project: OpenProject,
    input: HostInput<'profile.run'>,
    limits: CallLimits,
  ): Promise<Result<ProfileTrace>> {
    const { libraries } = this.services
    const options = { ...limits, phase: `profile ${input.op}` }
    const inputs = input.inputs as Readonly<Record<string, InputSpec>>
    const isOnDevice = inputsNamed(input.args as Argument[], inputs).some(
      (name) => (input.inputs[name]?.device ?? 'cpu') !== 'cpu',
    )
    if (!isOnDevice) return await libraries.call(project, 'profile.run', input, options)
    const hosts = await libraries.openHostsBeside(project, profilingEnvironment)
    if (!hosts.ok) return hosts
    try {
      return await libraries.callBeside(
        { hosts: hosts.value, project },
        'profile.run',
        input,
        options,
      )
    } finally {
      await hosts.value.close()
    }
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
      return err('request.invalid', 'Opsmith no longer keeps this profile.', {
        hint: 'Profile the call again.',
      })
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
