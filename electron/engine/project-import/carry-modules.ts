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
  const modules = pairs.map(baseOf).filter((one) => pythonModule.safeParse(one.name).success)
  // An extension whose name only a run of setup.py would tell is called "extension".
  if (modules.every((one) => one.name === name || one.name === 'extension')) return
  for (const { name: module, line } of modules) {
    const place = line > 0 ? `${file}:${line}` : file
    draft.add('pythonModules', [module], `the name of the extension in ${place}`)
  }
}
