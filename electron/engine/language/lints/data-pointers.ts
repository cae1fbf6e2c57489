import type { Fix } from '../../../contract/diagnostics'
import { methodCalls } from '../syntax/functions'
import type { CppFunction, MethodCall } from '../syntax/functions'
import { childOf } from '../syntax/syntax-tree'
import type { SyntaxNode } from '../syntax/syntax-tree'
import { insertBefore, replace } from './lint'
import type { Finding, Lint } from './lint'
import type { ProjectSources } from './project-sources'
import { isAsked, originOf } from './tensor-facts'

const pointers = new Set(['data_ptr', 'const_data_ptr', 'mutable_data_ptr'])

const contiguousDocumentation = `A pointer to a tensor's elements is taken, and the tensor may not be contiguous.

Code that counts on from \`data_ptr\` takes it that elements lie one after another. Those of \`x.t()\`, of a slice with steps or of an expanded tensor do not: the operator then reads other elements than it means to, or memory that is not the tensor's. Nothing says so; the numbers are wrong.

\`\`\`cpp
const at::Tensor x_contiguous = x.contiguous();  // x itself where it is contiguous already
const float* data = x_contiguous.const_data_ptr<float>();
\`\`\`

Where the operator writes to the tensor a copy would be written instead: check it then.

\`\`\`cpp
TORCH_CHECK(x.is_contiguous(), "scale_: x must be contiguous");
\`\`\``

const dtypeDocumentation = `The elements of a tensor are read as one type, and nothing checks that it has that type.

\`data_ptr<float>()\` of a float64 tensor throws from the middle of the operator, in words that do not name the argument; \`static_cast<float*>(x.data_ptr())\` reads its bytes as another type without a word. Say which types are taken before anything is computed:

\`\`\`cpp
TORCH_CHECK(x.scalar_type() == at::kFloat, "scale: x must be float32, got ", x.scalar_type());
\`\`\`

or write the operator for all of them with \`AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] { ... })\`.`

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
const asksDtype = new Set([
  'scalar_type',
  'dtype',
  'is_floating_point',
  'is_complex',
  'type',
  'toType',
  'to',
  'itemsize',
  'element_size',
])

const tensorTypes: Record<string, string> = {
  float: 'kFloat',
  double: 'kDouble',
  int64_t: 'kLong',
  long: 'kLong',
  int32_t: 'kInt',
  int: 'kInt',
  int16_t: 'kShort',
  int8_t: 'kChar',
  uint8_t: 'kByte',
  bool: 'kBool',
  'at::Half': 'kHalf',
  'c10::Half': 'kHalf',
  'at::BFloat16': 'kBFloat16',
  'c10::BFloat16': 'kBFloat16',
}
const dtypeNames: Record<string, string> = {
  kFloat: 'float32',
  kDouble: 'float64',
  kLong: 'int64',
  kInt: 'int32',
  kShort: 'int16',
  kChar: 'int8',
  kByte: 'uint8',
  kBool: 'bool',
  kHalf: 'float16',
  kBFloat16: 'bfloat16',
}

interface Use {
  fn: CppFunction
  operator: string
  call: MethodCall
}

function uses(project: ProjectSources): Use[] {
  const outside = project.operatorFunctions()
  return outside.flatMap(({ function: fn, operator }) =>
    methodCalls(fn.source, fn.body)
      .filter((call) => pointers.has(call.method))
      .map((call) => ({ fn, operator, call })),
  )
}

/** Views are known for what they are in any function, not only in those called from outside. */
function viewUses(project: ProjectSources): Use[] {
  return project.functions.flatMap((fn) =>
    methodCalls(fn.source, fn.body)
      .filter((call) => pointers.has(call.method))
      .map((call) => ({ fn, operator: fn.name, call })),
  )
}

/** Only read through: its pointer is const, or the tensor asked for a const one. */
function isReadOnly({ fn, call }: Use): boolean {
  if (call.method === 'const_data_ptr') return true
  if (call.method === 'mutable_data_ptr') return false
  let at: SyntaxNode | undefined = call.node
  while (at && at.type !== 'declaration') at = at.parent
  return at !== undefined && /^\s*const\b/.test(fn.source.textOf(at))
}

function contiguousFixes(use: Use, name: string): Fix[] {
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
        `TORCH_CHECK(${name}.is_contiguous(), "${shortName(operator)}: ${name} must be contiguous");`,
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

function shortName(operator: string): string {
  return (
    operator
      .replace(/::apply$/, '')
      .split('::')
      .at(-1) ?? operator
  )
}

function checkContiguous(project: ProjectSources): Finding[] {
  const found = new Map<string, Finding>()
  const add = (use: Use, name: string, why: string): void => {
    const { fn, call } = use
    // Once for each tensor of a function: the first is the place to mend.
    const key = `${fn.source.file}:${fn.node.start}:${name}`
    if (found.has(key)) return
    found.set(key, {
      source: fn.source,
      node: call.node,
      message: `${name} ${why}; its elements may not lie one after another, as ${call.method} takes it.`,
      fixes: call.object.type === 'identifier' ? contiguousFixes(use, name) : [],
    })
  }
  for (const use of uses(project)) {
    const origin = originOf(use.fn, use.call.object)
    if (origin?.kind !== 'parameter') continue
    if (isAsked(project, { fn: use.fn, names: origin.names }, asksContiguity)) continue
    add(use, origin.names[0] ?? '', 'is not known to be contiguous')
  }
  for (const use of viewUses(project)) {
    const origin = originOf(use.fn, use.call.object)
    if (origin?.kind !== 'view') continue
    if (isAsked(project, { fn: use.fn, names: origin.names }, asksContiguity)) continue
    const name = origin.names[0] ?? use.fn.source.textOf(use.call.object)
    add(use, name, `comes from ${origin.method}()`)
  }
  return [...found.values()]
}

/** The type that elements are read as: of `data_ptr<float>()` or a cast around `data_ptr()`. */
function readAs({ fn, call }: Use): string | undefined {
  if (call.template !== '') return call.template.replace(/^const /, '')
  const cast = call.node.parent
  if (cast?.type === 'cast_expression') {
    return /^(?:const )?([\w:]+)\s*\*/.exec(fn.source.textOf(childOf(cast, 'type')))?.[1]
  }
  // The argument list of static_cast<float*>(…)
  const callee = cast?.type === 'argument_list' ? childOf(cast.parent, 'function') : undefined
  return /^(?:static|reinterpret)_cast<(?:const )?([\w:]+)\s*\*>$/.exec(
    fn.source.textOf(callee),
  )?.[1]
}

function checkDtype(project: ProjectSources): Finding[] {
  const found = new Map<string, Finding>()
  for (const use of uses(project)) {
    const { fn, operator, call } = use
    const scalar = tensorTypes[readAs(use) ?? '']
    if (scalar === undefined) continue
    const origin = originOf(fn, call.object)
    if (origin?.kind !== 'parameter') continue
    if (isAsked(project, { fn, names: origin.names }, asksDtype)) continue
    const name = origin.names.at(-1) ?? ''
    const key = `${fn.source.file}:${fn.node.start}:${name}`
    if (found.has(key) || !fn.body) continue
    const dtype = dtypeNames[scalar] ?? scalar
    const statement = `TORCH_CHECK(${name}.scalar_type() == at::${scalar}, "${shortName(operator)}: ${name} must be ${dtype}, got ", ${name}.scalar_type());`
    found.set(key, {
      source: fn.source,
      node: call.node,
      message: `${name} is read as ${dtype}, and nothing checks that it is.`,
      fixes: [
        {
          title: `Check that ${name} is ${dtype}`,
          edits: [insertBefore(fn.source, fn.body, call.node, statement)],
        },
      ],
    })
  }
  return [...found.values()]
}

export const notContiguous: Lint = {
  code: 'opsmith-not-contiguous',
  documentation: contiguousDocumentation,
  check: checkContiguous,
}
export const dtypeUnchecked: Lint = {
  code: 'opsmith-dtype-unchecked',
  documentation: dtypeDocumentation,
  check: checkDtype,
}
