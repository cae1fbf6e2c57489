import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { ProgramFunction, RunReport, RunRequest } from '../../contract/run'
import type { Builds } from '../builds/builds'
import type { CallLimits, Libraries } from '../builds/libraries'
import { placeError } from '../error-place'
import { callAgain } from '../host/call-on-library'
import type { HostPool } from '../host/host-pool'
import type { ProjectOrFolder, Projects } from '../project/open-project'

interface RunServices {
  projects: Projects
  builds: Builds
  libraries: Libraries
  hosts: HostPool
}

/** Seconds to compile a program. */
const compileTimeout = 30

/** Calls of a project's operators and of the functions of its program. */
export class Runs {
  constructor(private readonly services: RunServices) {}

  /** One call of an operator or a program function; the library is loaded first if it is not. */
  async run(
    projectOrFolder: ProjectOrFolder,
    request: Omit<RunRequest, 'program'>,
    limits: CallLimits,
  ): Promise<Result<RunReport>> {
    const { projects, libraries } = this.services
    const opened = await projects.open(projectOrFolder)
    const loaded = await libraries.ensureLoaded(opened.ok ? opened.value : projectOrFolder, limits)
    if (!loaded.ok) return loaded
    if (!opened.ok) return opened
    const project = opened.value
    const program = await project.program()
    if (!program.ok) return program
    const result = await libraries.call(
      project,
      'operator.run',
      { ...request, ...(program.value ? { program: program.value } : {}) },
      { ...limits, phase: `call ${request.op}` },
    )
    return placeError(result, project.folder)
  }

  /** The functions of the project's program; none where it has no program. */
  async programFunctions(projectOrFolder: ProjectOrFolder): Promise<Result<ProgramFunction[]>> {
    const { projects, builds, libraries, hosts } = this.services
    const project = await projects.open(projectOrFolder)
    if (!project.ok) return project
    const program = await project.value.program()
    if (!program.ok) return program
    if (!program.value) return ok([])
    const options = { timeout: compileTimeout, phase: 'compiling the program' }
    // A library that ended the op host would end it again: that is for the user to ask for.
    const mayLoad = builds.lastBuild(project.value) && hosts.state().lastExit === undefined
    return mayLoad
      ? await libraries.call(project.value, 'program.functions', program.value, options)
      : await callAgain(hosts, 'program.functions', program.value, options)
  }
}
