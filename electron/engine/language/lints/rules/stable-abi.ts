import { noteAt } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A project uses libtorch's stable ABI, but one of its registrations does not.

A library whose sources use only the stable ABI works with the version of libtorch that it was built with and with all later versions. It is exported as one wheel (\`opsmith export --as stable\`). One registration through the dispatcher's C++ interface, or through pybind11, binds the whole library to the libtorch that it was built with.

- Register with \`STABLE_TORCH_LIBRARY\`, and write the kernel with \`torch::stable::Tensor\`.
- If the operator needs ATen, put it into another project.

\`\`\`cpp
STABLE_TORCH_LIBRARY_FRAGMENT(my_ops, m) { m.def("add(Tensor x, Tensor y) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(my_ops, CPU, m) { m.impl("add", TORCH_BOX(&add)); }
\`\`\``

function check(project: LintedSources): LintFinding[] {
  const blocks = project.blocks.filter(({ conditional }) => !conditional)
  const stable = blocks.find(({ macro }) => macro.startsWith('STABLE_'))
  if (!stable) return []
  const others = blocks.filter(({ macro }) => /^(TORCH_LIBRARY|PYBIND11_MODULE)/.test(macro))
  return others.map(({ source, macro, nameNode }) => ({
    source,
    node: nameNode,
    message: `${macro} binds the library to one version of libtorch, but other operators of this project use the stable ABI. Use STABLE_TORCH_LIBRARY, or move this code to another project.`,
    notes: [noteAt(stable.source, stable.nameNode, `the ${stable.macro} is here`)],
  }))
}

export const lint: Lint = { code: 'opsmith-stable-abi', documentation, check }
