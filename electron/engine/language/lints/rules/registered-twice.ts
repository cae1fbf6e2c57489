import type { SyntaxNode } from '../../syntax/syntax-tree'
import { noteAt, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'
import type { SourceFile } from '../../syntax/source-file'

const documentation = `An operator, a kernel or a whole namespace is registered a second time.

A process has one dispatcher. A second definition of an operator, or a second \`TORCH_LIBRARY\` of a namespace, throws when the library loads. A second kernel for one dispatch key replaces the first kernel, with a warning.

- Define each operator once. Overloads have different names: \`add.Scalar(...)\`.
- Write \`TORCH_LIBRARY(my_ops, m)\` once. In other files, write \`TORCH_LIBRARY_FRAGMENT(my_ops, m)\`.
- Write one \`m.impl\` for each operator and dispatch key:

\`\`\`cpp
TORCH_LIBRARY_IMPL(my_ops, CPU, m) { m.impl("add", &add_cpu); }
TORCH_LIBRARY_IMPL(my_ops, CUDA, m) { m.impl("add", &add_cuda); }
\`\`\``

interface Item {
  source: SourceFile
  node: SyntaxNode
  message: string
  first: string
  fix?: { node: SyntaxNode; text: string }
}

function check(project: LintedSources): LintFinding[] {
  const items: [string, Item][] = []
  for (const { source, macro, words, nameNode, conditional } of project.blocks) {
    if (!/^(STABLE_)?TORCH_LIBRARY$/.test(macro) || conditional) continue
    const namespace = words[0] ?? ''
    items.push([
      `namespace ${namespace}`,
      {
        source,
        node: nameNode,
        message: `The namespace ${namespace} already has a ${macro}; the library will not load.`,
        first: `the first ${macro} is here`,
        fix: { node: nameNode, text: `${macro}_FRAGMENT` },
      },
    ])
  }
  for (const one of project.registrations) {
    if (one.conditional || project.isHeader(one.source)) continue
    const { source, kind, block, namespace, name, dispatchKey, nameNode } = one
    const full = block === 'pybind' ? name : `${namespace}::${name}`
    const item = { source, node: nameNode, first: 'the first registration is here' }
    if (kind === 'def') {
      // pybind11 makes overloads of functions of one name.
      if (block === 'pybind') continue
      items.push([
        `def ${full}`,
        { ...item, message: `${full} is already defined; the library will not load.` },
      ])
    } else if (dispatchKey !== '' || one.functionName !== undefined) {
      const where = dispatchKey === '' ? 'all devices' : dispatchKey
      items.push([
        `impl ${full} ${dispatchKey}`,
        {
          ...item,
          message: `${full} already has a kernel for ${where}; this kernel replaces it.`,
        },
      ])
    }
  }
  const seen = new Map<string, Item>()
  return items.flatMap(([key, item]): LintFinding[] => {
    const first = seen.get(key)
    if (!first) {
      seen.set(key, item)
      return []
    }
    const { source, node, message, fix } = item
    return [
      {
        source,
        node,
        message,
        notes: [noteAt(first.source, first.node, first.first)],
        fixes: fix
          ? [
              {
                title: `Change to ${fix.text}`,
                edits: [replace(source, fix.node.start, fix.node.end, fix.text)],
              },
            ]
          : [],
      },
    ]
  })
}

export const lint: Lint = { code: 'opsmith-registered-twice', documentation, check }
