import { err } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Workbench } from '../../engine/workbench'
import type { AppSession } from '../app-session'
import type { ProjectSession } from '../project-session'
import { timeoutOf } from './saving'

/** Where a call about the open project is answered. */
export interface ProjectCall {
  session: AppSession
  project: ProjectSession
  workbench: Workbench
}

export interface ProjectJob extends ProjectCall {
  /** Aborted by `job.cancel`, and when the project is closed. */
  signal: AbortSignal
  /** Seconds for a call: what the window asked for, else the settings' time limit. */
  timeout: number
}

type Handler<Input, Output> = (session: AppSession, input: Input) => Promise<Result<Output>>

/** Handles a call about the open project. A call that names another folder is refused. */
export function projectCall<Input extends { folder: string }, Output>(
  work: (call: ProjectCall, input: Input) => Promise<Result<Output>>,
): Handler<Input, Output> {
  return async (session, input) => {
    const project = session.openProject(input.folder)
    return project
      ? await work({ session, project, workbench: session.workbench }, input)
      : err('request.invalid', `${input.folder} is not the open project. Open this folder first.`, {
          path: 'folder',
        })
  }
}

/**
 * Handles a call that runs as a job of the open project: `job.cancel` and closing the project end it, and the
 * window may then open the files that its answer names, as a crash's stack does.
 * @param options.filesOf the part of an answer whose files the window may open; by default all of it
 */
export function projectJob<Input extends { folder: string; job: string; timeout?: number }, Output>(
  work: (job: ProjectJob, input: Input) => Promise<Result<Output>>,
  options: { filesOf?: (answer: Result<Output>, input: Input) => unknown } = {},
): Handler<Input, Output> {
  const { filesOf = (answer) => answer } = options
  return projectCall((call, input) =>
    call.project.job(input.job, async (signal) => {
      const timeout = await timeoutOf(call.session, input.timeout ?? 0)
      const answer = await work({ ...call, signal, timeout }, input)
      call.project.noteFiles(filesOf(answer, input))
      return answer
    }),
  )
}
