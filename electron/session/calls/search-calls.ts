import { searchProject } from '../../engine/search/search'
import type { Handlers } from './handle'
import { projectJob } from './project-job'

export const searchCalls: Handlers<'search.run'> = {
  'search.run': projectJob(
    ({ signal }, { folder, query, unsaved }) => searchProject(folder, query, unsaved, signal),
    // It names files of the project only.
    { filesOf: () => undefined },
  ),
}
