import { replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `The module of a Python extension has a fixed name.

Python looks for \`PyInit_<name>\` in a file called \`<name>.so\`. If the two names differ, the import fails with "dynamic module does not define module export function". setuptools, \`torch.utils.cpp_extension\` and Opsmith choose the file name and define \`TORCH_EXTENSION_NAME\` to match it.

\`\`\`cpp
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &my_op_forward);
}
\`\`\``

const right = 'TORCH_EXTENSION_NAME'

function check(project: LintedSources): LintFinding[] {
  return project.blocks.flatMap(({ source, macro, words, wordNodes }): LintFinding[] => {
    const node = wordNodes[0]
    if (macro !== 'PYBIND11_MODULE' || !node || words[0] === right) return []
    return [
      {
        source,
        node,
        message: `The module is always named ${words[0] ?? ''}, even if the library file has another name; use ${right} instead.`,
        fixes: [
          {
            title: `Change ${words[0] ?? ''} to ${right}`,
            edits: [replace(source, node.start, node.end, right)],
          },
        ],
      },
    ]
  })
}

export const lint: Lint = { code: 'opsmith-module-name', documentation, check }
