import { calledName } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import { childOf, findAll } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `Random numbers come from a generator that \`torch.manual_seed\` does not seed.

A generator of \`<random>\`, or \`rand()\`, has its own seed. With a random seed, a run cannot be repeated. With a fixed seed, each call returns the same numbers. Draw from libtorch's generator:

\`\`\`cpp
at::Tensor noise = at::rand_like(x);
// or number by number:
auto generator = at::detail::getDefaultCPUGenerator();
std::lock_guard<std::mutex> lock(generator.mutex());
uint64_t number = at::get_generator_or_default<at::CPUGeneratorImpl>(std::nullopt, generator)->random64();
\`\`\`

Also declare the operator as random: \`m.def("f(Tensor x) -> Tensor", {at::Tag::nondeterministic_seeded})\`. A generator whose seed is an argument, or comes from libtorch's generator, is not reported.`

const engines =
  /^(?:std::)?(?:mt19937(?:_64)?|minstd_rand0?|default_random_engine|random_device|ranlux(?:24|48)(?:_base)?|knuth_b)$/
const calls = /^(?:std::)?(?:rand|random|drand48|lrand48|rand_r)$/
/** Of libtorch's generator: what draws a seed from it. */
const asksLibtorch =
  /getDefaultCPUGenerator|get_generator_or_default|defaultGenerator|random64|CPUGeneratorImpl|at::randint|torch::randint|\.seed\(\)/

/** Whether the seed in this declaration is named by a parameter of the function. */
function isSeededByArgument(fn: CppFunction, declaration: SyntaxNode): boolean {
  const text = fn.source.textOf(declaration)
  return fn.parameters.some(
    (parameter) =>
      parameter.name !== '' && new RegExp(`[({,]\\s*[^;]*\\b${parameter.name}\\b`).test(text),
  )
}

function check(project: LintedSources): LintFinding[] {
  // Helpers draw for the operators of their source.
  const files = new Set(project.operators.map((one) => one.function.source))
  const seen = new Set<SyntaxNode>()
  return project.functions.flatMap((fn): LintFinding[] => {
    const { source, body } = fn
    if (!files.has(source) || !body || asksLibtorch.test(source.textOf(body))) return []
    const made = findAll(body, 'declaration').filter((one) => {
      const type = source.textOf(childOf(one, 'type'))
      return engines.test(type) && !isSeededByArgument(fn, one)
    })
    const called = findAll(body, 'call_expression').filter((one) =>
      calls.test(calledName(source, one)),
    )
    return [...made, ...called].flatMap((node): LintFinding[] => {
      if (seen.has(node)) return []
      seen.add(node)
      const name =
        node.type === 'declaration'
          ? source.textOf(childOf(node, 'type'))
          : `${calledName(source, node)}()`
      return [
        {
          source,
          node,
          message: `torch.manual_seed has no effect on ${name}; draw from libtorch's generator, or take the seed as an argument.`,
        },
      ]
    })
  })
}

export const lint: Lint = { code: 'opsmith-own-generator', documentation, check }
