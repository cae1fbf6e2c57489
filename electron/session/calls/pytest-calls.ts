import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'

export const pytestCalls: Handlers<'pytest.run' | 'pytest.keepCalls'> = {
  'pytest.run': projectJob(
    async ({ session, project, workbench, signal }, { folder, job, request }) =>
      await workbench.pytestRuns.run(folder, request, {
        python: '',
        timeout: 0,
        signal,
        onProgress: (progress) => {
          project.noteFiles(progress)
          session.send('pytest.progressed', { job, progress })
        },
      }),
  ),
  'pytest.keepCalls': projectCall(({ workbench }, { folder, request }) =>
    workbench.recordedCalls.keep(folder, request),
  ),
}
