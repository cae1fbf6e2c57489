import type { ExportedProject } from '../exported-project'
import { pythonExample } from './example-call'
import { moduleName, nameClasses, nameOperators } from './names'
import { pythonCall } from './python-format'
import { packageNames } from './python-package'
import { codeBlock, readmeOf, testSection } from './readme'

/** A call of the package's function, written out where that takes a few lines. */
function useLines(project: ExportedProject, module: string): string[] {
  const example = pythonExample(project)
  const names = nameOperators(project.operators)
  const [name, overload = ''] = example?.call.call.op.split('.') ?? []
  const called = names.find(
    ({ operator }) => operator.name === name && operator.overload === overload,
  )
  const [first] = names
  if (example && called) {
    const given = example.arguments
    const direct = `torch.ops.${example.call.call.op.replace('::', '.')}`
    return [
      ...example.inputs,
      ...pythonCall('', `result = ${module}.${called.name}`, given),
      '# The same operator, for torch.compile and TorchScript:',
      ...pythonCall('', `result = ${direct}`, given),
    ]
  }
  return first
    ? [
        `${module}.${first.name}  # a function with types and documentation`,
        `torch.ops.${first.operator.name.replace('::', '.')}  # the same operator, for torch.compile and TorchScript`,
      ]
    : []
}

/** What the package has next to functions: wrappers in Python, classes. */
function moreNames(project: ExportedProject, module: string): string[] {
  const classes = nameClasses(project.classes, project.operators)
  return [
    ...packageNames(project).pairs.map(
      (pair) =>
        `\`${module}.${pair.function}\` is \`${pair.op}\` as a \`torch.autograd.Function\`. \`${module}.${pair.module}\` is \`${pair.op}\` as a \`torch.nn.Module\`. In TorchScript, use the operator: TorchScript does not support these two.`,
    ),
    ...[...classes].map(
      ([name, named]) => `\`${module}.${named}\` is the class \`torch.classes.${name}\`.`,
    ),
  ]
}

/** README.md of a Python package; `stableFrom` is the first libtorch that one on the stable ABI serves. */
export function packageReadme(
  project: ExportedProject,
  packageName: string,
  stableFrom: string | undefined,
): string {
  const module = moduleName(packageName)
  const serves =
    stableFrom === undefined
      ? 'one minor version of torch: the version that the wheel was built with. pip requires this version. `--no-build-isolation` builds with the torch that is installed.'
      : `every libtorch from ${stableFrom} on: the sources use only its stable ABI.`
  const sections = [
    '## Install',
    'You need a C++ compiler, and a Python environment with torch:',
    codeBlock('shell', 'pip install setuptools wheel ninja', 'pip install --no-build-isolation .'),
    `To build a wheel for other machines: \`pip wheel --no-build-isolation --no-deps -w dist .\`. One wheel works with every Python from 3.9 on, and with ${serves}`,
    ...(project.sources.parallel
      ? [
          'The kernels use `at::parallel_for`, which runs on one thread without OpenMP. To build with OpenMP and g++: `CXXFLAGS=-fopenmp LDFLAGS=-fopenmp pip install --no-build-isolation .`.',
        ]
      : []),
    '## Use',
    codeBlock('python', 'import torch', `import ${module}`, '', ...useLines(project, module)),
    moreNames(project, module).join('\n'),
    ...testSection(project, 'python -m unittest discover tests'),
  ]
  const { version } = project.toolchain.libtorch
  const versions =
    stableFrom && `Built with libtorch ${version}, for libtorch ${stableFrom} and later.`
  return readmeOf(project, packageName, sections, versions)
}
