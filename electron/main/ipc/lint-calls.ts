import path from 'node:path'

import type { Handlers } from './handle'
import { projectCall } from './project-job'

export const lintCalls: Handlers<'lint.project'> = {
  'lint.project': projectCall(({ workbench }, { folder, unsaved }) =>
    workbench.lints.lint(
      folder,
      new Map(unsaved.map((file) => [path.resolve(folder, file.path), file.text])),
    ),
  ),
}
