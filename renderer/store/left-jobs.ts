import { call } from '../bridge/bridge'
import { allJobs } from './feature'
import { currentFolder } from './project'

/** After a project was opened: goes on with the work that a window which was killed has left on its machine. */
export async function resumeLeftJobs(folder: string): Promise<void> {
  const left = await call('job.left', {})
  if (!left.ok || currentFolder() !== folder) return
  for (const one of left.value) allJobs().some((job) => job.resume(one))
}
