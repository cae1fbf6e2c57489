import type { FormChoice } from '../../contract/export'
import { exportForms } from '../../contract/export'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { OpenProject } from '../project/open-project'
import { exportSources } from './project-sources'
import type { ProofTools, Tool } from './proof/tools'
import { stableObstacles, usesStableAbi } from './stable-abi'
import { npmPackage, pythonPackage } from './templates/names'

/** Which forms a project can take, as its sources and this machine tell; nothing is built. */
export async function formChoices(
  installation: Installation,
  project: OpenProject,
  tools: ProofTools,
): Promise<Result<FormChoice[]>> {
  const { manifest } = project
  const sources = await exportSources(installation, project)
  if (!sources.ok) return sources
  const lacking = (...needed: readonly Tool[]): string[] => [
    ...new Set(needed.filter((one) => one.problem !== '').map((one) => one.problem)),
  ]
  const { python, jupyter, cmake, make, pkgConfig, node, npm } = tools
  const untried = {
    library: lacking(python, cmake),
    cmake: lacking(cmake),
    app: lacking(cmake),
    setuptools: lacking(python),
    stable: lacking(python),
    jit: lacking(python),
    addon: lacking(node, npm),
    notebook: lacking(python, jupyter),
    link: lacking(make, pkgConfig),
  }
  return ok(
    exportForms.map((form): FormChoice => {
      const choice = {
        form,
        possible: true,
        reason: '',
        hint: '',
        obstacles: [],
        untried: untried[form],
      }
      const named =
        form === 'setuptools' || form === 'stable'
          ? pythonPackage(manifest)
          : form === 'addon'
            ? npmPackage(manifest)
            : ok('')
      if (!named.ok) {
        const { message, hint } = named.error
        return { ...choice, possible: false, reason: message, hint: hint ?? '' }
      }
      if (form === 'stable' && !usesStableAbi(sources.value)) {
        return {
          ...choice,
          possible: false,
          reason: 'The sources use more of libtorch than its stable ABI.',
          hint: 'Include torch/csrc/stable headers only, and register with STABLE_TORCH_LIBRARY.',
          obstacles: stableObstacles(sources.value),
        }
      }
      return choice
    }),
  )
}
