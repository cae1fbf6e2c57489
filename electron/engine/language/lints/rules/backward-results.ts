import type { Fix } from '../../../../contract/diagnostics'
import type { CppFunction } from '../../syntax/functions'
import { partsOf } from '../../syntax/syntax-tree'
import { checkAutogradEntry, counted, returnedLists } from '../autograd-entries'
import { noteAt, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `backward returns a different number of gradients than forward has inputs.

Autograd matches each result of backward with one input of forward, in order. All arguments of forward except the context \`ctx\` are inputs, including numbers. Return an undefined tensor for an input without a gradient. If the number of results is wrong, the first backward pass throws "returned an incorrect number of gradients".

\`\`\`cpp
static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w, double eps);

static variable_list backward(AutogradContext* ctx, variable_list grads) {
  return {grad_x, grad_w, at::Tensor()};  // no gradient for eps
}
\`\`\`

Entries of \`autograd\` in opsmith.json are checked in the same way. \`gradients\` has an item for each result of backward: an input of forward, or \`null\` if the result is not a gradient. \`backwardArgs\` has an item for each argument of backward: an input of forward, \`grad:N\` (the gradient of result N of forward) or \`output:N\` (result N of forward). N starts at 0.`

/** Inputs that autograd counts; undefined where lists of tensors leave the number open. */
function inputCount(forward: CppFunction): number | undefined {
  const inputs = forward.parameters.filter((one) => !/AutogradContext\s*\*/.test(one.type))
  const open = inputs.some(
    (one) =>
      /vector\s*<[^>]*Tensor|variable_list|tensor_list|TensorList|\.\.\./.test(one.type) ||
      /\bpack\b/.test(one.node.type) ||
      one.node.type === 'variadic_parameter_declaration',
  )
  return open || forward.parameters.length === inputs.length ? undefined : inputs.length
}

function checkOne(name: string, forward: CppFunction, backward: CppFunction): LintFinding[] {
  const inputs = inputCount(forward)
  const { source, body } = backward
  if (inputs === undefined || !body) return []
  return returnedLists(backward).flatMap((list): LintFinding[] => {
    const results = partsOf(list)
    if (results.length === inputs) return []
    const missing = inputs - results.length
    const last = results.at(-1)
    const fixes: Fix[] =
      missing > 0 && last
        ? [
            {
              title:
                missing === 1
                  ? 'Return at::Tensor() for the last input'
                  : `Return at::Tensor() for the last ${missing} inputs`,
              edits: [replace(source, last.end, last.end, ', at::Tensor()'.repeat(missing))],
            },
          ]
        : []
    return [
      {
        source,
        node: list,
        message: `${name}::backward returns ${counted(results.length, 'gradient')}, but forward has ${counted(inputs, 'input')}.`,
        fixes,
        notes: [noteAt(forward.source, forward.node, 'forward is here')],
      },
    ]
  })
}

function check(project: LintedSources): LintFinding[] {
  const ofClasses = project
    .autogradFunctions()
    .flatMap(({ name, forward, backward }) =>
      forward && backward ? checkOne(name, forward, backward) : [],
    )
  return [...ofClasses, ...project.entries.flatMap((entry) => checkAutogradEntry(project, entry))]
}

export const lint: Lint = { code: 'opsmith-backward-results', documentation, check }
