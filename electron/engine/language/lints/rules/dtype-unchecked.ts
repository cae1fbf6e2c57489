import { childOf } from '../../syntax/syntax-tree'
import { pointerUses, shortTypeName } from '../data-pointer'
import type { PointerUse } from '../data-pointer'
import { insertBefore } from '../lint'
import type { LintFinding, Lint } from '../lint'
import type { LintedSources } from '../project-sources'
import { isAsked, originOf } from '../tensor-facts'

const documentation = `The elements of a tensor are read as one type, but the dtype is not checked.

\`data_ptr<float>()\` of a float64 tensor throws in the middle of the operator, and its message does not name the argument. \`static_cast<float*>(x.data_ptr())\` reads the bytes as another type, without an error. Check the dtype at the start:

\`\`\`cpp
TORCH_CHECK(x.scalar_type() == at::kFloat, "scale: x must be float32, got ", x.scalar_type());
\`\`\`

Or support all floating-point dtypes with \`AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] { ... })\`.`

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

/** The type that elements are read as: of `data_ptr<float>()` or a cast around `data_ptr()`. */
function readAs({ fn, call }: PointerUse): string | undefined {
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

function check(project: LintedSources): LintFinding[] {
  const found = new Map<string, LintFinding>()
  for (const use of pointerUses(project)) {
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
    const statement = `TORCH_CHECK(${name}.scalar_type() == at::${scalar}, "${shortTypeName(operator)}: ${name} must be ${dtype}, got ", ${name}.scalar_type());`
    found.set(key, {
      source: fn.source,
      node: call.node,
      message: `${name} is read as ${dtype}, but its dtype is not checked.`,
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

export const lint: Lint = { code: 'opsmith-dtype-unchecked', documentation, check }
