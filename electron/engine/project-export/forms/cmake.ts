import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import { proveCmake, proveInstalled } from '../proof/steps'
import { cmakeFiles } from '../templates/cmake-project'

export const form: Form = {
  id: 'cmake',
  order: 2,
  purpose: 'A CMake project that you can install and use with find_package',
  needs: '',
  tools: ['cmake'],
  files: (project) => ok(cmakeFiles(project)),
  prove: async (proof) => {
    if (await proveCmake(proof, '.', true)) await proveInstalled(proof)
  },
}
