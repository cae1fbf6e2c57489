/** Steps the kernels that a call of a project launches. */
import path from 'node:path'

import type { BuildReport } from '../../../contract/build'
import type { SourcePlace } from '../../../contract/gpu-findings'
import type { Index3 } from '../../../contract/gpu-stepping'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { RunReport, RunRequest } from '../../../contract/run'
import type { Builds } from '../../builds/builds'
import type { Libraries } from '../../builds/libraries'
import type { BuildOptions } from '../../compile/build'
import { placeError } from '../../error-place'
import { callOnLibrary } from '../../host/call-on-library'
import type { OpenProject, Projects } from '../../project/open-project'
import { StepSession } from './step-session'

/** Seconds. */
const loadTimeout = 60

export interface SteppedCall {
  call: Pick<RunRequest, 'op' | 'args' | 'inputs'>
  target: SourcePlace
  block: Index3
  /** A block that was stepped has ended. */
  onFinished?: (kernel: string) => void
}

/** A call that runs until a thread comes to the line. */
export interface RunningCall {
  session: StepSession
  /** The session has ended then. */
  result: Promise<Result<RunReport>>
}

export class StepCalls {
  constructor(
    private readonly services: { projects: Projects; builds: Builds; libraries: Libraries },
  ) {}

  /** Builds the project for stepping, next to its other builds. */
  async build(folder: string, options: BuildOptions): Promise<Result<BuildReport>> {
    const { projects, builds } = this.services
    const project = await projects.open(folder)
    if (!project.ok) return project
    return await builds.buildApart(project.value.forStepping(), options)
  }

  /** Makes the call in an op host of its own; it has no time limit, and `signal` ends it. */
  async start(
    folder: string,
    build: BuildReport,
    wanted: SteppedCall,
    signal: AbortSignal,
  ): Promise<Result<RunningCall>> {
    const { virtualDevice, loadPath } = build
    if (virtualDevice === undefined || build.kernelVariant !== 'stepped') {
      return err(
        'request.invalid',
        'Opsmith steps kernels only on the virtual GPU, but this project was built without the virtual GPU.',
        {
          hint: 'In Doctor, set “CUDA code runs on” to “Always the virtual GPU”. Or set "gpu" to "virtual" in the settings file.',
        },
      )
    }
    const { projects, libraries } = this.services
    const project = await projects.open(folder)
    if (!project.ok) return project
    const root = path.resolve(folder)
    const session = new StepSession({
      ...wanted,
      folder: root,
      isUserFile: (file) => file.startsWith(`${root}/`),
    })
    const hosts = await libraries.openHostsBeside(project.value, await session.listen())
    if (!hosts.ok) {
      session.end()
      return hosts
    }
    hosts.value.useVirtualDevice(virtualDevice, 'stepped')
    const library = {
      hosts: hosts.value,
      loadPath: () => loadPath,
      load: async () => await hosts.value.load(loadPath, { timeout: loadTimeout, signal }),
    }
    const result = makeCall(project.value, library, { call: wanted.call, signal }).finally(() => {
      session.end()
      void hosts.value.close()
    })
    return ok({ session, result })
  }
}

async function makeCall(
  project: OpenProject,
  library: Parameters<typeof callOnLibrary>[0],
  { call, signal }: { call: SteppedCall['call']; signal: AbortSignal },
): Promise<Result<RunReport>> {
  const loaded = await library.load({ timeout: loadTimeout, signal })
  if (!loaded.ok) return loaded
  const program = await project.program()
  if (!program.ok) return program
  const input = { ...call, ...(program.value ? { program: program.value } : {}) }
  const options = { timeout: 0, signal, phase: `call ${call.op}` }
  return placeError(await callOnLibrary(library, 'operator.run', input, options), project.folder)
}
