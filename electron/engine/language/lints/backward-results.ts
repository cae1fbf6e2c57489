import type { Fix } from '../../../contract/diagnostics'
import { lastWord } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import { above, childOf, findAll, partsOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import { noteAt, replace } from './lint'
import type { Finding, Lint } from './lint'
import type { ProjectSources } from './project-sources'

const documentation = `backward gives back another number of gradients than forward has inputs.

Autograd takes backward's results in the order of forward's inputs, one for each, numbers and options included; what has no gradient gets an undefined tensor. With another number the first backward pass throws "returned an incorrect number of gradients".

\`\`\`cpp
static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w, double eps);

static variable_list backward(AutogradContext* ctx, variable_list grads) {
  return {grad_x, grad_w, at::Tensor()};  // eps has none
}
\`\`\`

The context \`ctx\` is no input and does not count.`

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

/** The list a return statement gives, written out; undefined where it is a variable or a call. */
function returnedList(fn: CppFunction, statement: SyntaxNode): SyntaxNode | undefined {
  const value = partsOf(statement)[0]
  if (value?.type === 'initializer_list') return value
  if (value?.type !== 'compound_literal_expression') return undefined
  const type = lastWord(fn.source.textOf(childOf(value, 'type')).replace(/<.*>$/, ''))
  return /^(variable_list|tensor_list|vector)$/.test(type) ? childOf(value, 'value') : undefined
}

function checkOne(name: string, forward: CppFunction, backward: CppFunction): Finding[] {
  const inputs = inputCount(forward)
  const { source, body } = backward
  if (inputs === undefined || !body) return []
  return findAll(body, 'return_statement').flatMap((statement): Finding[] => {
    if (above(statement, 'lambda_expression')) return []
    const list = returnedList(backward, statement)
    if (!list) return []
    const results = partsOf(list)
    if (results.length === inputs || results.some((one) => one.type.includes('expansion')))
      return []
    const missing = inputs - results.length
    const last = results.at(-1)
    const fixes: Fix[] =
      missing > 0 && last
        ? [
            {
              title:
                missing === 1 ? 'Add an undefined gradient' : `Add ${missing} undefined gradients`,
              edits: [replace(source, last.end, last.end, ', at::Tensor()'.repeat(missing))],
            },
          ]
        : []
    return [
      {
        source,
        node: list,
        message: `${name}::backward gives ${count(results.length, 'gradient')}, and forward has ${count(inputs, 'input')}.`,
        fixes,
        notes: [noteAt(forward.source, forward.node, 'forward is here')],
      },
    ]
  })
}

const count = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? '' : 's'}`

function check(project: ProjectSources): Finding[] {
  return project
    .autogradFunctions()
    .flatMap(({ name, forward, backward }) =>
      forward && backward ? checkOne(name, forward, backward) : [],
    )
}

export const backwardResults: Lint = { code: 'opsmith-backward-results', documentation, check }
