import { lastWord } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import type { SourceFile } from '../syntax/source-file'
import { childOf, findAll } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import type { LintedSources } from './project-sources'

/** The function that makes the gradient of an operator. */
export interface GradientFunction {
  /** As it was asked about. */
  operator: string
  /** "gc_backward", "Square::backward". */
  name: string
  /** Absolute. */
  file: string
  line: number
}

interface Code {
  source: SourceFile
  node: SyntaxNode
}

/** From an operator's kernel to the `apply` of an autograd function it takes few calls. */
const mostCalls = 4

/** Where an operator's code begins: kernels of autograd keys first, then the others. */
function kernelsOf(project: LintedSources, operator: string): Code[] {
  const isMeant = (name: string): boolean => name === operator || operator.endsWith(`::${name}`)
  const own = project.operators.filter((one) => isMeant(one.operator))
  const isAutograd = (key = ''): boolean => key.startsWith('Autograd')
  const first = own.filter((one) => isAutograd(one.registration?.dispatchKey))
  const others = own.filter((one) => !isAutograd(one.registration?.dispatchKey))
  const bodies = [...first, ...others].flatMap(({ function: { source, body } }) =>
    body ? [{ source, node: body }] : [],
  )
  // `&unary<&f, &g>` is an instance of a template: the registration says of which.
  const registrations = project.registrations.filter((one) =>
    isMeant(`${one.namespace}::${one.name}`),
  )
  return [...bodies, ...registrations.map(({ source, node }) => ({ source, node }))]
}

/** Functions that code calls or names, without their namespaces and template arguments. */
function namesIn({ source, node }: Code): Set<string> {
  const calls = findAll(node, 'call_expression').map((call) => childOf(call, 'function'))
  const addresses = findAll(node, 'pointer_expression').map((one) => childOf(one, 'argument'))
  const names = [...calls, ...addresses].map((one) => {
    const name = one?.type === 'template_function' ? childOf(one, 'name') : one
    return lastWord(source.textOf(name))
  })
  return new Set(names.filter((name) => name !== ''))
}

const applied = /(\w+)\s*(?:<[^;{}]*>)?\s*::\s*apply\s*\(/g

/** The `backward` of the first autograd function that is applied by this code, or by what it calls. */
function backwardBehind(project: LintedSources, start: Code): CppFunction | undefined {
  const classes = new Map(project.autogradFunctions().map((one) => [one.name, one.backward]))
  const seen = new Set<SyntaxNode>()
  let layer = [start]
  for (let calls = 0; calls < mostCalls && layer.length > 0; calls += 1) {
    const next: Code[] = []
    for (const code of layer) {
      seen.add(code.node)
      for (const [, name = ''] of code.source.textOf(code.node).matchAll(applied)) {
        const backward = classes.get(name)
        if (backward) return backward
      }
      for (const name of namesIn(code)) {
        const called = project.definition(name, code.source)
        if (called?.body && !seen.has(called.body))
          next.push({ source: called.source, node: called.body })
      }
    }
    layer = next
  }
  return undefined
}

function placed(operator: string, { source, node, name }: CppFunction): GradientFunction {
  const { line } = source.positionOf((childOf(node, 'declarator') ?? node).start)
  return { operator, name, file: source.file, line }
}

/**
 * Where an operator's gradient is written: the backward function of its entry in opsmith.json's `autograd`, or the
 * `backward` of the autograd function that its kernels apply; undefined where neither is found.
 * @param operator "my_op::f", without its overload's name
 */
export function gradientFunction(
  project: LintedSources,
  operator: string,
): GradientFunction | undefined {
  const isEnd = (whole: string, end: string): boolean => whole === end || whole.endsWith(`::${end}`)
  const entry = project.entries.find(({ name }) => isEnd(operator, name))
  if (entry) {
    const registered = project.operators.find(
      (one) => isEnd(one.operator, entry.backward) || isEnd(entry.backward, one.operator),
    )
    const written = registered?.function ?? project.definition(entry.backward)
    return written ? placed(operator, written) : undefined
  }
  for (const kernel of kernelsOf(project, operator)) {
    const backward = backwardBehind(project, kernel)
    if (backward) return placed(operator, backward)
  }
  return undefined
}
