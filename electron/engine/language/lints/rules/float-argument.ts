import type { Fix } from '../../../../contract/diagnostics'
import { findAll } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import type { CppFunction } from '../../syntax/functions'
import { replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `The signature of an operator has a number type that the dispatcher does not support.

For numbers, the dispatcher supports only \`double\` and \`int64_t\`. In a schema, \`float\` means a C++ \`double\`, and \`int\` means an \`int64_t\`. A registration with a C++ \`float\`, \`int\` or \`short\` does not compile. \`long\` is the same type as \`int64_t\` only on some systems.

\`\`\`cpp
at::Tensor scale(const at::Tensor& x, double factor, int64_t times);

TORCH_LIBRARY(my_ops, m) {
  m.def("scale(Tensor x, float factor, int times) -> Tensor", &scale);
}
\`\`\`

Functions of a \`PYBIND11_MODULE\` may use all these types.`

const wholeNumber = /^(?:(?:un)?signed|short|long|int)(?:\s+(?:signed|short|long|int))*$/
const named = new Set([
  'size_t',
  'std::size_t',
  'ptrdiff_t',
  'std::ptrdiff_t',
  'int8_t',
  'int16_t',
  'int32_t',
  'uint8_t',
  'uint16_t',
  'uint32_t',
  'uint64_t',
  'std::int32_t',
  'std::uint32_t',
  'std::uint64_t',
  'std::int16_t',
  'std::uint8_t',
  'std::int8_t',
  'std::uint16_t',
])

function better(type: string): string | undefined {
  const plain = type.replace(/\s+/g, ' ')
  if (plain === 'float') return 'double'
  return wholeNumber.test(plain) || named.has(plain) ? 'int64_t' : undefined
}

/** The number types within a type: of `std::vector<int>`, its `int`. */
function wrongTypes(fn: CppFunction, typeNode: SyntaxNode | undefined): SyntaxNode[] {
  return findAll(
    typeNode,
    'primitive_type',
    'sized_type_specifier',
    'type_identifier',
    'qualified_identifier',
  ).filter((node) => {
    // `std::size_t` is one type; its last word alone is not looked at again.
    if (node.type !== 'qualified_identifier' && node.parent?.type === 'qualified_identifier')
      return false
    if (node.parent?.type === 'sized_type_specifier') return false
    return better(fn.source.textOf(node)) !== undefined
  })
}

function fixFor(project: LintedSources, fn: CppFunction, at: SyntaxNode, index: number): Fix[] {
  const was = fn.source.textOf(at)
  const now = better(was) ?? was
  const nth = (one: CppFunction): SyntaxNode[] =>
    wrongTypes(one, index < 0 ? one.returnNode : one.parameters[index]?.typeNode)
  const place = nth(fn).indexOf(at)
  const edits = [fn, ...project.declarations(fn)].flatMap((one) => {
    const node = nth(one)[place]
    return node ? [replace(one.source, node.start, node.end, now)] : []
  })
  return [{ title: `Change ${was} to ${now}`, edits }]
}

function check(project: LintedSources): LintFinding[] {
  const seen = new Set<SyntaxNode>()
  return project.operators
    .filter((one) => one.registration?.block === 'library')
    .flatMap(({ function: fn, operator }) => {
      const types = [
        ...fn.parameters.map((parameter, index) => ({ index, node: parameter.typeNode })),
        { index: -1, node: fn.returnNode },
      ]
      return types.flatMap(({ index, node }) =>
        wrongTypes(fn, node).flatMap((at): LintFinding[] => {
          if (seen.has(at)) return []
          seen.add(at)
          const was = fn.source.textOf(at)
          const where = index < 0 ? 'returns' : 'has an argument of type'
          return [
            {
              source: fn.source,
              node: at,
              message: `${operator} ${where} ${was}, which the dispatcher does not support; use ${better(was) ?? ''}.`,
              fixes: fixFor(project, fn, at, index),
            },
          ]
        }),
      )
    })
}

export const lint: Lint = { code: 'opsmith-float-argument', documentation, check }
