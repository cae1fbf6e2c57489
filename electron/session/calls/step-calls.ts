import { err, ok } from '../../contract/outcome'
import type { StepSession } from '../../engine/virtual-gpu/stepping/step-session'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import type { ProjectCall } from './project-job'

type StepCallNames = 'step.run' | 'step.go' | 'step.view'

const notStopped = err('request.invalid', 'No kernel is stopped at a line.')

/** The next time that the block stops, the window sees it. */
async function announce(
  { session, project }: ProjectCall,
  { steps, job }: { steps: StepSession; job: string },
): Promise<void> {
  const event = await steps.next()
  if (event.kind === 'ended') return
  project.noteFiles(event.view)
  session.send('step.stopped', { folder: project.folder, job, view: event.view })
}

export const stepCalls: Handlers<StepCallNames> = {
  'step.run': projectJob(async (call, { folder, job, call: request, place, block }) => {
    const { project, workbench, signal } = call
    const build = await workbench.stepCalls.build(folder, { signal })
    if (!build.ok) return build
    if (!build.value.ok) {
      const first = build.value.diagnostics.find(({ severity }) => severity === 'error')
      return err(
        'build.required',
        `The project does not compile for stepping${first ? `: ${first.message}` : '.'}`,
        {
          hint: 'Build the project (Ctrl+B) and fix what the Problems panel lists.',
          ...(first && first.file !== '' ? { file: first.file, line: first.line } : {}),
        },
      )
    }
    const wanted = { call: request, target: place, block }
    const running = await workbench.stepCalls.start(folder, build.value, wanted, signal)
    if (!running.ok) return running
    const { session: steps, result } = running.value
    project.stepping = steps
    steps.onGo = () => void announce(call, { steps, job })
    steps.onGo()
    const report = await result
    if (project.stepping === steps) project.stepping = undefined
    if (!report.ok) return report
    return ok({ hasStopped: steps.hasStopped, place: steps.target })
  }),
  'step.go': projectCall(({ project }, { mode, place }) => {
    const { stepping } = project
    if (stepping?.isStopped !== true) return Promise.resolve(notStopped)
    if (place) stepping.runTo(place)
    stepping.go(mode)
    return Promise.resolve(nothing)
  }),
  'step.view': projectCall(async ({ project }, { warp }) => {
    const { stepping } = project
    if (stepping?.isStopped !== true) return notStopped
    return ok(await stepping.view(warp))
  }),
}
