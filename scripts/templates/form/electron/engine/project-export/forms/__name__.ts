import { ok } from '../../../contract/outcome'
import type { ExportedProject } from '../exported-project'
import { treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import type { Form } from '../form'
import type { Proof } from '../proof/proof'
import { codeBlock, readmeOf } from '../templates/readme'

function filesOf(project: ExportedProject): FileTree {
  const library = `lib${project.name}.so`
  return treeOf({
    [library]: project.library,
    'README.md': readmeOf(project, library, [
      codeBlock('python', 'import torch', '', `torch.ops.load_library("${library}")`),
    ]),
  })
}

/** Python loads the library from the copy of the export. */
async function prove(proof: Proof): Promise<void> {
  const { python } = proof.tools
  if (!proof.has(python, 'load in Python')) return
  const script = `import torch; torch.ops.load_library("lib${proof.project.name}.so")`
  await proof.run('load in Python', [[python.path, '-c', script]])
}

export const form: Form = {
  id: '__name__',
  order: 100,
  purpose: 'The library with a README',
  needs: '',
  tools: ['python'],
  files: (project) => ok(filesOf(project)),
  prove,
}
