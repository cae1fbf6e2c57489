import { calledName } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import { above, childOf, findAll, partsOf } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A function returns a tensor from \`from_blob\`, but the function owns the memory of the tensor.

\`from_blob\` does not copy the memory and does not keep it alive. If the memory belongs to a local variable (a \`cv::Mat\`, a \`std::vector\`, an array), it is freed when the function returns. The tensor then contains wrong numbers, or the program crashes much later.

Return a copy:

\`\`\`cpp
return torch::from_blob(output.ptr<float>(), {8, 8}).clone();
\`\`\`

Or pass \`from_blob\` a deleter that frees the memory together with the tensor. It is better to write into \`at::empty(...)\` from the start.`

/** The name at the bottom of `mat.ptr<float>(0)`, `v.data() + 3`, `&x[0]`. */
function baseName(node: SyntaxNode | undefined): SyntaxNode | undefined {
  let at = node
  while (at && at.type !== 'identifier') {
    if (at.type === 'call_expression') {
      const callee = childOf(at, 'function')
      if (callee?.type === 'field_expression') at = childOf(callee, 'argument')
      else if (callee?.type === 'template_function') at = partsOf(childOf(at, 'arguments'))[0]
      else return undefined
    } else if (at.type === 'cast_expression') at = childOf(at, 'value')
    else at = childOf(at, 'argument') ?? childOf(at, 'left') ?? partsOf(at)[0]
  }
  return at
}

/** Whether the memory goes when the function ends; false wherever that is not sure. */
function isLocalMemory(fn: CppFunction, data: SyntaxNode | undefined, depth = 0): boolean {
  const { source } = fn
  const base = baseName(data)
  if (!base || depth > 4) return false
  const name = source.textOf(base)
  const declarations = findAll(fn.body, 'declaration').filter((one) =>
    partsOf(one).some((part) => part.field === 'declarator' && declares(fn, part, name)),
  )
  const declaration = declarations[0]
  if (declaration) {
    const isStatic = declaration.children.some(
      (child) => child.type === 'storage_class_specifier' && source.textOf(child) === 'static',
    )
    if (isStatic) return false
    const declarator = partsOf(declaration).find((part) => declares(fn, part, name))
    const inner =
      declarator?.type === 'init_declarator' ? childOf(declarator, 'declarator') : declarator
    const isPointer = inner?.type === 'pointer_declarator'
    const isReference = inner?.type === 'reference_declarator'
    const isAuto = childOf(declaration, 'type')?.type === 'placeholder_type_specifier'
    const value = childOf(declarator, 'value')
    // A pointer or reference says nothing itself: what it was made from does.
    if (isPointer || isReference || (isAuto && base === data)) {
      if (!value || value.type === 'new_expression') return false
      return isLocalMemory(fn, value, depth + 1)
    }
    return !/_ptr\b|string_view|span|Ref\b/.test(source.textOf(childOf(declaration, 'type')))
  }
  const parameter = fn.parameters.find((one) => one.name === name)
  // An argument taken by value is the function's own; what it points to is not.
  return parameter !== undefined && /\b(vector|array|string|Mat)\b[^&*]*$/.test(parameter.type)
}

function declares(fn: CppFunction, declarator: SyntaxNode, name: string): boolean {
  let at: SyntaxNode | undefined = declarator
  while (at && at.type !== 'identifier') at = childOf(at, 'declarator') ?? partsOf(at)[0]
  return fn.source.textOf(at) === name
}

/** `from_blob(data, sizes[, strides][, options])` without a deleter. */
function unownedBlob(fn: CppFunction, node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (node?.type !== 'call_expression') return undefined
  const { source } = fn
  if (!/(^|::)from_blob$/.test(calledName(source, node))) return undefined
  const given = partsOf(childOf(node, 'arguments'))
  const owns = given.slice(2).some((one) => {
    return (
      one.type === 'lambda_expression' ||
      /delet|free|release|owner|holder/i.test(source.textOf(one))
    )
  })
  return !owns && isLocalMemory(fn, given[0]) ? node : undefined
}

function check(project: LintedSources): LintFinding[] {
  return project.functions.flatMap((fn) => {
    const { source, body } = fn
    const blobs = new Map<string, SyntaxNode>()
    for (const one of findAll(body, 'init_declarator')) {
      const blob = unownedBlob(fn, childOf(one, 'value'))
      const declarator = childOf(one, 'declarator')
      if (blob && declarator) blobs.set(source.textOf(declarator), blob)
    }
    // Taken something else since, it may be a copy.
    for (const one of findAll(body, 'assignment_expression')) {
      blobs.delete(source.textOf(childOf(one, 'left')))
    }
    return findAll(body, 'return_statement').flatMap((statement): LintFinding[] => {
      // A lambda's return is not the function's.
      const lambda = above(statement, 'lambda_expression')
      if (lambda && lambda.start > (body?.start ?? 0)) return []
      const given = partsOf(statement)[0]
      const values = given?.type === 'initializer_list' ? partsOf(given) : given ? [given] : []
      return values.flatMap((value): LintFinding[] => {
        const blob = unownedBlob(fn, value) ?? blobs.get(source.textOf(value))
        if (!blob) return []
        return [
          {
            source,
            node: value,
            message:
              'This tensor does not own its memory, which is freed when the function returns. Return a copy with .clone().',
            fixes: [
              {
                title: 'Return a copy: add .clone()',
                edits: [replace(source, value.end, value.end, '.clone()')],
              },
            ],
          },
        ]
      })
    })
  })
}

export const lint: Lint = { code: 'opsmith-from-blob', documentation, check }
