import path from 'node:path'

import type { OpenProject } from '../project/open-project'
import type { BuildPlan } from './plan'
import { ResultCache } from './result-cache'

/** The objects of all projects, as a build of this one finds them. */
export function objectCache(
  project: OpenProject,
  plan: BuildPlan,
  onDamaged?: () => void,
): ResultCache {
  return new ResultCache({
    folder: path.join(plan.tools.installation.cacheFolder, 'objects'),
    projectFolder: project.folder,
    contentFolders: plan.contentFolders,
    nameOf: (key) => `${key}.o`,
    ...(onDamaged ? { onDamaged } : {}),
  })
}
