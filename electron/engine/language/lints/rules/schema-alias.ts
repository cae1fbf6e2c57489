import type { TextEdit } from '../../../../contract/diagnostics'
import { calledName, isTensor, methodCall } from '../../syntax/functions'
import type { CppFunction } from '../../syntax/functions'
import type { Registration } from '../../syntax/registrations'
import { above, childOf, findAll, partsOf } from '../../syntax/syntax-tree'
import type { SyntaxNode } from '../../syntax/syntax-tree'
import { noteAt, replace } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { OperatorFunction, LintedSources } from '../project-sources'
import { isAssigned } from '../tensor-facts'

const documentation = `The operator writes to or returns an argument, but the schema does not declare this.

Autograd, \`torch.compile\`, functionalization and the tracer read the schema, not the code. \`Tensor x\` promises that x does not change and that no result shares its memory. An operator that writes to x must declare \`Tensor(a!) x\`, and one that returns x must declare \`-> Tensor(a)\`. Otherwise compiled programs may reorder or drop the write, and gradients are wrong without an error.

\`\`\`cpp
m.def("add_(Tensor(a!) x, Tensor y) -> Tensor(a!)", &add_);  // writes to x
m.def("first(Tensor(a) x) -> Tensor(a)", &first);            // a view of x
m.def("copy(Tensor x) -> Tensor", &copy);                    // new memory
\`\`\`

If you do not want to write to x, work on \`x.clone()\`. A schema that libtorch derives from the C++ function cannot declare a write or an alias: write the schema yourself.`

interface SchemaArgument {
  name: string
  /** "Tensor", "Tensor?", "Tensor(a!)". */
  type: string
  /** Of the type, in the schema's text. */
  at: number
}

/** The tensors of a schema, in order, next to everything else it takes. */
function argumentsOf(schema: string): (SchemaArgument | undefined)[] {
  const open = schema.indexOf('(')
  let depth = 0
  let start = open + 1
  const pieces: [number, number][] = []
  for (let at = open; at >= 0 && at < schema.length; at += 1) {
    const character = schema[at] ?? ''
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if ((character === ',' && depth === 1) || depth === 0) {
      pieces.push([start, at])
      start = at + 1
      if (depth === 0) break
    }
  }
  return pieces
    .map(([from, to]) => ({ from, text: schema.slice(from, to) }))
    .filter((piece) => piece.text.trim() !== '' && piece.text.trim() !== '*')
    .map(({ from, text }) => {
      const match = /^(\s*)(Tensor(?:\([^)]*\))?\??)\s+(\w+)/.exec(text)
      if (!match) return undefined
      return { at: from + (match[1] ?? '').length, type: match[2] ?? '', name: match[3] ?? '' }
    })
}

function resultOf(schema: string): string {
  return schema.slice(schema.lastIndexOf('->') + 2).trim()
}

/** Methods ending in _ that change nothing of the values. */
const harmless = new Set([
  'requires_grad_',
  'rename_',
  'retain_grad',
  'detach_',
  'set_requires_grad',
])

/** Where a function writes to the elements of an argument; undefined where nothing is seen. */
function writeTo(fn: CppFunction, name: string): SyntaxNode | undefined {
  const { source, body } = fn
  const isIt = (node: SyntaxNode | undefined): boolean =>
    node?.type === 'identifier' && source.textOf(node) === name
  // `x[0]`, `x.select(0, 1)`: writing to a part is writing to it.
  const isPart = (node: SyntaxNode | undefined): boolean => {
    if (!node || isIt(node)) return node !== undefined
    if (node.type === 'subscript_expression') return isPart(childOf(node, 'argument'))
    const call = node.type === 'call_expression' ? methodCall(source, node) : undefined
    return call !== undefined && /^(select|slice|narrow|view|index|t)$/.test(call.method)
      ? isPart(call.object)
      : false
  }
  for (const node of findAll(body, 'call_expression', 'assignment_expression')) {
    if (node.type === 'assignment_expression') {
      const left = childOf(node, 'left')
      const operator = partsText(fn, node)
      // `x += y` on a Tensor is x.add_(y); `x[0] = y` copies into the part.
      if (left?.type === 'subscript_expression' ? isPart(left) : operator !== '=' && isIt(left)) {
        return node
      }
      continue
    }
    const call = methodCall(source, node)
    if (call) {
      const writes =
        (/[a-z0-9]_$/.test(call.method) && !harmless.has(call.method)) ||
        call.method === 'mutable_data_ptr'
      if (writes && isPart(call.object)) return node
    } else if (/(^|::)\w+_out$/.test(calledName(source, node))) {
      if (isPart(partsOf(childOf(node, 'arguments'))[0])) return node
    }
  }
  return undefined
}

function partsText(fn: CppFunction, assignment: SyntaxNode): string {
  return fn.source.textOf(childOf(assignment, 'operator'))
}

/** `return x;` of the function itself. */
function returnOf(fn: CppFunction, name: string): SyntaxNode | undefined {
  return findAll(fn.body, 'return_statement').find((statement) => {
    const lambda = above(statement, 'lambda_expression')
    if (lambda && lambda !== fn.node && lambda.start > fn.node.start) return false
    const value = partsOf(statement)[0]
    return value?.type === 'identifier' && fn.source.textOf(value) === name
  })
}

/** An edit of part of a schema's text, where its literal has it in one piece. */
function editSchema(schema: Registration, from: string, to: string): TextEdit[] {
  const { source, nameNode } = schema
  const written = source.textOf(nameNode)
  const at = written.indexOf(from)
  if (at < 0 || written.indexOf(from, at + 1) >= 0) return []
  const start = nameNode.start + at
  return [replace(source, start, start + from.length, to)]
}

function freeLetter(schema: string): string {
  return [...'abcdefgh'].find((letter) => !new RegExp(`\\(${letter}!?\\)`).test(schema)) ?? 'z'
}

function checkOne(one: OperatorFunction): LintFinding[] {
  const { function: fn, schema, operator } = one
  if (one.registration?.block !== 'library' || !fn.body) return []
  const text = schema?.schema
  // A kernel for an operator that others define: what its schema says is not known here.
  if (one.registration.kind === 'impl' && text === undefined) return []
  const given = text === undefined ? undefined : argumentsOf(text)
  // A schema of another length is another mistake: nothing can be said of this one.
  if (given && given.length !== fn.parameters.length) return []
  return fn.parameters.flatMap((parameter, index): LintFinding[] => {
    const { name } = parameter
    const argument = given?.[index]
    if (!isTensor(parameter) || name === '' || isAssigned(fn, name)) return []
    if (given && !argument) return []
    const type = argument?.type ?? 'Tensor'
    const said = argument?.name ?? name
    const notes = schema ? [noteAt(schema.source, schema.nameNode, 'the schema is here')] : []
    const write = writeTo(fn, name)
    if (write && !type.includes('!')) {
      const letter = /\((\w)\)/.exec(type)?.[1] ?? freeLetter(text ?? '')
      const better = `Tensor(${letter}!)${type.endsWith('?') ? '?' : ''} ${said}`
      const edits = schema && argument ? editSchema(schema, `${type} ${said}`, better) : []
      return [
        {
          source: fn.source,
          node: write,
          message:
            text === undefined
              ? `${operator} writes to ${name}, but a schema that is derived from the C++ type cannot declare the write. Write a schema with ${better}.`
              : `${operator} writes to ${name}, but its schema does not declare the write.`,
          fixes: edits.length > 0 ? [{ title: `Write ${better} in the schema`, edits }] : [],
          notes,
        },
      ]
    }
    const returned = returnOf(fn, name)
    if (returned && !type.includes('(') && !(text !== undefined && resultOf(text) === '()')) {
      const value = partsOf(returned)[0] ?? returned
      return [
        {
          source: fn.source,
          node: value,
          message: `${operator} returns ${name} itself, but ${text === undefined ? 'a schema that is derived from the C++ type cannot declare the alias' : 'its schema does not declare the alias'}.`,
          fixes: [
            {
              title: `Return ${name}.clone()`,
              edits: [replace(fn.source, value.end, value.end, '.clone()')],
            },
          ],
          notes,
        },
      ]
    }
    return []
  })
}

function check(project: LintedSources): LintFinding[] {
  return project.operatorFunctions().flatMap(checkOne)
}

export const lint: Lint = { code: 'opsmith-schema-alias', documentation, check }
