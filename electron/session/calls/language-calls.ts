import path from 'node:path'

import type { AppCallName } from '../../contract/app-calls'
import type { LanguageFile } from '../../contract/language'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { AppSession } from '../app-session'
import { nothing } from './handle'
import type { Handlers } from './handle'

type LanguageCalls = Extract<AppCallName, `language.${string}`>

/**
 * Files of the open project, and those outside that an answer named; by their names alone: the text comes
 * from the window, and the order of what it sends must be kept.
 */
function refused(session: AppSession, file: LanguageFile): Result<never> | undefined {
  const absolute = path.resolve(file.folder, file.path)
  const inside = absolute.startsWith(path.resolve(file.folder) + path.sep)
  const project = session.openProject(file.folder)
  if (project && (inside || project.wasNamed(absolute))) return undefined
  return err('request.invalid', `${file.path} is not a file of the open project.`, { path: 'path' })
}

function about<I extends LanguageFile, T>(
  work: (session: AppSession, input: I) => Promise<Result<T>> | Result<T>,
) {
  return async (session: AppSession, input: I): Promise<Result<T>> => {
    const answer = refused(session, input) ?? (await work(session, input))
    session.project?.noteFiles(answer)
    return answer
  }
}

export const languageCalls: Handlers<LanguageCalls> = {
  'language.show': about((session, { judge, ...document }) => {
    session.workbench.clangd.show(document, judge)
    return nothing
  }),
  'language.hide': about((session, file) => {
    session.workbench.clangd.close(session.workbench.clangd.fileOf(file))
    return nothing
  }),
  'language.state': (session) => ok(session.workbench.clangd.state()),
  'language.restart': async (session) => {
    await session.workbench.clangd.restart()
    return nothing
  },
  'language.complete': about(({ workbench }, { trigger, ...at }) =>
    workbench.language.complete(at, trigger),
  ),
  'language.hover': about(({ workbench }, at) => workbench.language.hover(at)),
  'language.signatures': about(({ workbench }, at) => workbench.language.signatures(at)),
  'language.definition': about(({ workbench }, at) => workbench.language.definition(at)),
  'language.references': about(({ workbench }, at) => workbench.language.references(at)),
  'language.renameTarget': about(({ workbench }, at) => workbench.language.renameTarget(at)),
  'language.rename': about(({ workbench }, { newName, ...at }) =>
    workbench.language.rename(at, newName),
  ),
  'language.inlayHints': about(({ workbench }, range) => workbench.language.inlayHints(range)),
  'language.semanticTokens': about(({ workbench }, file) =>
    workbench.language.semanticTokens(file),
  ),
  'language.symbols': about(({ workbench }, file) => workbench.language.symbols(file)),
  'language.format': about(({ workbench }, file) => workbench.language.format(file)),
  'language.formatRange': about(({ workbench }, range) => workbench.language.format(range, range)),
  'language.actions': about(({ workbench }, range) => workbench.language.actions(range)),
  'language.actionEdits': about(({ workbench }, { id, ...file }) =>
    workbench.language.actionEdits(file, id),
  ),
}
