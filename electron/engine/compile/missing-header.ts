import type { Diagnostic } from '../../contract/diagnostics'
import type { OpenProject } from '../project/open-project'
import { fetchCommand, submoduleWithHeader } from '../project/submodules'
import { installCommand } from '../toolchain/pkg-config'
import { missingHeader } from './diagnostics'

/** An error about a header that was not found, with where the header may come from. Others stay as they are. */
export function explainMissingHeader(
  diagnostic: Diagnostic,
  { folder, manifest }: Pick<OpenProject, 'folder' | 'manifest'>,
): Diagnostic {
  const header = missingHeader(diagnostic.message)
  if (header === undefined) return diagnostic
  const submodule = submoduleWithHeader(folder, header, manifest.includePaths)
  if (submodule) {
    return {
      ...diagnostic,
      message: `${header} is missing, because the git submodule ${submodule.path} is empty. Fetch the submodule: ${fetchCommand(submodule)}`,
      raw: diagnostic.raw ?? diagnostic.message,
    }
  }
  if (manifest.systemPackages.length === 0) return diagnostic
  const hint = `${header} may be in a package that opsmith.json lists in "systemPackages". Install these packages: ${installCommand(manifest.systemPackages)}`
  const note = { severity: 'note' as const, file: '', line: 0, column: 0, message: hint }
  return { ...diagnostic, notes: [...diagnostic.notes, note] }
}
