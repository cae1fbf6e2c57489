import type { Fix } from '../../../../contract/diagnostics'
import { methodCalls } from '../../syntax/functions'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { pointers, pointerUses, shortTypeName } from '../data-pointer'
import type { PointerUse } from '../data-pointer'
import { insertBefore, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'
import { isAsked, originOf } from '../tensor-facts'

const documentation = `The code uses a pointer to the elements of a tensor that may not be contiguous.

Code that indexes from \`data_ptr\` assumes that the elements are next to each other in memory. But \`x.t()\`, a slice with steps and an expanded tensor are not contiguous: the operator reads the wrong elements, or memory outside of the tensor. The results are wrong, without an error.

\`\`\`cpp
const at::Tensor x_contiguous = x.contiguous();  // x itself if x is contiguous
const float* data = x_contiguous.const_data_ptr<float>();
\`\`\`

\`contiguous()\` may return a copy of x. If the operator writes to x, check x instead:

\`\`\`cpp
TORCH_CHECK(x.is_contiguous(), "scale_: x must be contiguous");
\`\`\``

const asksContiguity = new Set([
  'is_contiguous',
  'strides',
  'stride',
  'sym_strides',
  'sym_stride',
  'is_contiguous_or_false',
  'is_non_overlapping_and_dense',
  'suggest_memory_format',
  'expect_contiguous',
])

/** Views are known for what they are in any function, not only in those called from outside. */
function viewUses(project: LintedSources): PointerUse[] {
  return project.functions.flatMap((fn) =>
    methodCalls(fn.source, fn.body)
      .filter((call) => pointers.has(call.method))
      .map((call) => ({ fn, operator: fn.name, call })),
  )
}

/** Only read through: its pointer is const, or the tensor asked for a const one. */
function isReadOnly({ fn, call }: PointerUse): boolean {
  if (call.method === 'const_data_ptr') return true
  if (call.method === 'mutable_data_ptr') return false
  let at: SyntaxNode | undefined = call.node
  while (at && at.type !== 'declaration') at = at.parent
  return at !== undefined && /^\s*const\b/.test(fn.source.textOf(at))
}

function contiguousFixes(use: PointerUse, name: string): Fix[] {
  const { fn, operator, call } = use
  const { source, body } = fn
  if (!body) return []
  const assert: Fix = {
    title: `Check that ${name} is contiguous`,
    edits: [
      insertBefore(
        source,
        body,
        call.node,
        `TORCH_CHECK(${name}.is_contiguous(), "${shortTypeName(operator)}: ${name} must be contiguous");`,
      ),
    ],
  }
  const copied = `${name}_contiguous`
  const all = methodCalls(source, body)
    .filter((one) => pointers.has(one.method) && source.textOf(one.object) === name)
    .map((one) => ({ ...use, call: one }))
  if (!all.every(isReadOnly) || source.text.includes(copied)) return [assert]
  const copy: Fix = {
    title: `Use ${name}.contiguous()`,
    edits: [
      insertBefore(source, body, call.node, `const auto ${copied} = ${name}.contiguous();`),
      ...all.map((one) => replace(source, one.call.object.start, one.call.object.end, copied)),
    ],
  }
  return [copy, assert]
}

function check(project: LintedSources): LintFinding[] {
  const found = new Map<string, LintFinding>()
  const add = (use: PointerUse, name: string, why: string): void => {
    const { fn, call } = use
    // Once for each tensor of a function: the first is the place to fix.
    const key = `${fn.source.file}:${fn.node.start}:${name}`
    if (found.has(key)) return
    found.set(key, {
      source: fn.source,
      node: call.node,
      message: `${name} ${why}; code that indexes from ${call.method} assumes that ${name} is contiguous.`,
      fixes: call.object.type === 'identifier' ? contiguousFixes(use, name) : [],
    })
  }
  for (const use of pointerUses(project)) {
    const origin = originOf(use.fn, use.call.object)
    if (origin?.kind !== 'parameter') continue
    if (isAsked(project, { fn: use.fn, names: origin.names }, asksContiguity)) continue
    add(use, origin.names[0] ?? '', 'may not be contiguous')
  }
  for (const use of viewUses(project)) {
    const origin = originOf(use.fn, use.call.object)
    if (origin?.kind !== 'view') continue
    if (isAsked(project, { fn: use.fn, names: origin.names }, asksContiguity)) continue
    const name = origin.names[0] ?? use.fn.source.textOf(use.call.object)
    add(use, name, `comes from ${origin.method}(), so it may not be contiguous`)
  }
  return [...found.values()]
}

export const lint: Lint = { code: 'opsmith-not-contiguous', documentation, check }
