import type { Form } from '../form'
import { refusalOf } from '../form'
import { proveWheel } from '../proof/wheel'
import { pythonPackage } from '../templates/names'
import { setuptoolsFiles } from '../templates/setuptools-project'

export const form: Form = {
  id: 'setuptools',
  order: 4,
  purpose: 'A Python package with a wheel, autograd.Function wrappers, type stubs and tests',
  needs: 'pip and Python must accept the name (`name`, or `packageName` in opsmith.json)',
  tools: ['python'],
  wheelPerTorch: true,
  refusal: (manifest) => refusalOf(pythonPackage(manifest)),
  files: (project) => setuptoolsFiles(project),
  prove: proveWheel,
}
