import type { FormChoice } from '../../contract/export'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import type { OpenProject } from '../project/open-project'
import { forms } from './all-forms'
import { exportSources } from './project-sources'
import type { ProofTools } from './proof/tools'

/** Which forms a project can be exported as, as its sources and this machine tell; nothing is built. */
export async function formChoices(
  installation: Installation,
  project: OpenProject,
  tools: ProofTools,
): Promise<Result<FormChoice[]>> {
  const { manifest } = project
  const sources = await exportSources(installation, project)
  if (!sources.ok) return sources
  return ok(
    forms.map((form): FormChoice => {
      const { id, purpose, wheelPerTorch = false } = form
      const problems = form.tools.map((name) => tools[name].problem)
      const untried = [...new Set(problems.filter((problem) => problem !== ''))]
      const refusal = form.refusal?.(manifest, sources.value)
      const choice = { form: id, purpose, untried, wheelPerTorch }
      return refusal
        ? { ...choice, possible: false, ...refusal }
        : { ...choice, possible: true, reason: '', hint: '', obstacles: [] }
    }),
  )
}
