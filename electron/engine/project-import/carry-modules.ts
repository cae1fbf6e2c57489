import { pythonModule } from '../../contract/manifest'
import { baseOf } from './paired-extensions'
import type { ExtensionPair } from './paired-extensions'
import type { ProposalDraft } from './proposal-draft'

/**
 * Notes what the repository's tests import, where the library has another name than the project.
 * @param file the build file, relative
 * @param name of the project
 */
export function carryModules(
  draft: ProposalDraft,
  file: string,
  name: string,
  pairs: readonly ExtensionPair[],
): void {
  const modules = pairs.filter((pair) => pythonModule.safeParse(pair.name).success)
  // An extension whose name only a run of setup.py would tell is called "extension".
  if (modules.every((pair) => pair.name === name || pair.name === 'extension')) return
  for (const pair of modules) {
    const { line } = baseOf(pair)
    const place = line > 0 ? `${file}:${line}` : file
    draft.add('pythonModules', [pair.name], `${place}, name of the extension`)
  }
}
