import path from 'node:path'

import type { Handlers } from './handle'
import { projectCall } from './project-job'

export const lintCalls: Handlers<'lint.project' | 'symbol.list'> = {
  'lint.project': projectCall(({ workbench }, { folder, unsaved }) =>
    workbench.lints.lint(
      folder,
      new Map(unsaved.map((file) => [path.resolve(folder, file.path), file.text])),
    ),
  ),
  'symbol.list': projectCall(({ workbench }, { folder, unsaved }) =>
    workbench.symbols.list(folder, new Map(unsaved.map(({ path: name, text }) => [name, text]))),
  ),
}
