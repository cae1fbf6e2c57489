import path from 'node:path'

import type { Handlers } from './handle'
import { inOpen } from './project-calls'

export const lintCalls: Handlers<'lint.project'> = {
  'lint.project': (session, { folder, unsaved }) =>
    inOpen(session, folder, () =>
      session.workbench.lints.lint(
        folder,
        new Map(unsaved.map((file) => [path.resolve(folder, file.path), file.text])),
      ),
    ),
}
