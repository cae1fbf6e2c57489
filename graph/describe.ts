import type { GraphAttribute, GraphNode } from '../electron/contract/graph'
import type { LayoutItem } from './layout/layout'
import { inputsOf } from './model'
import type { GraphModel, ModelValue } from './model'
import { schemaArguments } from './schema'

/** What a box shows; used by the window, SVG and DOT alike. */
export interface Description {
  /** "matmul", "if", "MulBackward0" */
  title: string
  /** Shown dimmed before the title: "my_ops"; "" for aten, prim and what has none. */
  namespace: string
  /** Not libtorch's own. */
  custom: boolean
  /** Key attributes, "stride=[2, 2]", the most telling first. */
  attributes: string[]
}

/** "aten::add" → aten, add; "MulBackward0" → "", MulBackward0. */
export function splitKind(kind: string): { namespace: string; name: string } {
  const at = kind.lastIndexOf('::')
  return at < 0
    ? { namespace: '', name: kind }
    : { namespace: kind.slice(0, at), name: kind.slice(at + 2) }
}

const longest = 28

export function describeItem(
  model: GraphModel,
  item: LayoutItem,
  showConstants = false,
): Description {
  switch (item.kind) {
    case 'node': {
      const { namespace, name } = splitKind(item.node.kind)
      const attributes = keyAttributes(model, item.node, showConstants)
      return {
        title: titles[item.node.kind] ?? name,
        namespace: namespace === 'aten' || namespace === 'prim' ? '' : namespace,
        custom: item.node.custom === true,
        attributes,
      }
    }
    case 'group': {
      const { group } = item
      const owner = model.nodes[group.node]
      const title = owner
        ? `${splitKind(owner.kind).name.toLowerCase()}: ${group.label}`
        : group.label
      const count = workingNodes(model, group.index)
      return {
        title,
        namespace: '',
        custom: false,
        attributes: [`${count.toLocaleString('en')} ${count === 1 ? 'node' : 'nodes'}`],
      }
    }
    case 'input':
      return {
        title: item.value.name,
        namespace: '',
        custom: false,
        attributes: labels(item.value),
      }
    case 'output': {
      const constant = constantText(model, item.value.index)
      return {
        title: constant ?? item.value.name,
        namespace: '',
        custom: false,
        attributes: labels(item.value),
      }
    }
  }
}

const titles: Record<string, string> = {
  'prim::If': 'if',
  'prim::Loop': 'loop',
  'prim::ListConstruct': 'list',
  'prim::TupleConstruct': 'tuple',
  'prim::DictConstruct': 'dict',
  'prim::ListUnpack': 'unpack list',
  'prim::TupleUnpack': 'unpack tuple',
  'prim::GetAttr': 'get attribute',
  'prim::SetAttr': 'set attribute',
  'prim::CallMethod': 'call method',
  'prim::CallFunction': 'call function',
  'prim::RaiseException': 'raise',
  'prim::Constant': 'constant',
}

function labels(value: ModelValue): string[] {
  const label = valueLabel(value)
  return label === '' ? [] : [label]
}

const workingCounts = new WeakMap<GraphModel, Int32Array>()

/** Nodes inside a group that are not constants. */
export function workingNodes(model: GraphModel, group: number): number {
  let counts = workingCounts.get(model)
  if (!counts) {
    counts = new Int32Array(model.groups.length)
    for (let node = 0; node < model.nodes.length; node += 1) {
      if (model.constant[node] === 1) continue
      for (let at = model.groupOf[node] ?? 0; at >= 0; at = model.groups[at]?.parent ?? -1)
        counts[at] = (counts[at] ?? 0) + 1
    }
    workingCounts.set(model, counts)
  }
  return counts[group] ?? 0
}

const shortTypes: Record<string, string> = {
  float64: 'f64',
  float32: 'f32',
  float16: 'f16',
  bfloat16: 'bf16',
  complex64: 'c64',
  complex128: 'c128',
  int64: 'i64',
  int32: 'i32',
  int16: 'i16',
  int8: 'i8',
  uint8: 'u8',
  bool: 'bool',
}

/**
 * What a value is, short: "8×5 f32", "?×512 f16", "f32" (no dimensions), "int[]", "Tensor". Objects
 * by the last part of their class.
 */
export function valueLabel(value: { type: string; tensor?: ModelValue['tensor'] }): string {
  const { tensor, type } = value
  if (tensor) {
    const dtype = tensor.dtype === undefined ? '' : (shortTypes[tensor.dtype] ?? tensor.dtype)
    if (tensor.shape) {
      const shape = tensor.shape.map((size) => (size === null ? '?' : String(size))).join('×')
      if (shape !== '' || dtype !== '')
        return [shape, dtype].filter((part) => part !== '').join(' ')
    }
    return dtype === '' ? 'Tensor' : `Tensor ${dtype}`
  }
  if (type.startsWith('__torch__.')) return type.slice(type.lastIndexOf('.') + 1)
  return type
}

/**
 * What a constant says, as Python writes it: "2", "True", "None", "[1, 1]"; of what is read from a
 * module its path, "layer1.0.conv1.weight". Null for a value that is computed. Of a list its first 24
 * elements, and "…".
 */
export function constantText(model: GraphModel, value: number): string | null {
  return textOf(model, value, 0, { each: 24, left: 1000 })
}

/**
 * constantText with all elements, as far as 20,000 constants go, and with digests of tensors whose
 * values are not in the text ("float32[64, 3] #9f86d081884c7d65"): for comparisons.
 */
export function wholeConstantText(model: GraphModel, value: number): string | null {
  return textOf(model, value, 0, { each: Infinity, left: 20_000, digests: true })
}

interface TextLimits {
  readonly digests?: boolean
  /** Elements of one list. */
  readonly each: number
  /** Constants that may still be written: lists of the same list double with each nesting. */
  left: number
}

function textOf(
  model: GraphModel,
  value: number,
  depth: number,
  limits: TextLimits,
): string | null {
  const producer = model.values[value]?.producer ?? -1
  const node = model.nodes[producer]
  if (!node || model.constant[producer] !== 1 || depth > 64) return null
  limits.left -= 1
  if (limits.left < 0) return '…'
  if (node.kind === 'prim::Constant') {
    const type = model.values[value]?.type ?? ''
    const known = node.attributes['value'] ?? null
    if (type === 'float' && typeof known === 'number' && Number.isInteger(known))
      return known.toFixed(1)
    const text = attributeText(known, type === 'str' || type === 'Device')
    const { content } = node.attributes
    return limits.digests === true && typeof content === 'string' ? `${text} #${content}` : text
  }
  if (node.kind === 'prim::GetAttr') {
    const name = String(node.attributes['name'] ?? '')
    const inner = textOf(model, inputsOf(model, producer)[0] ?? -1, depth + 1, limits)
    return inner === null ? name : `${inner}.${name}`
  }
  const inputs = inputsOf(model, producer)
  const parts: string[] = []
  for (const input of inputs.subarray(0, limits.each)) {
    const text = textOf(model, input, depth + 1, limits)
    if (text === null) return null
    parts.push(text)
  }
  if (node.kind === 'prim::DictConstruct') {
    const pairs: string[] = []
    for (let index = 0; index + 1 < parts.length; index += 2)
      pairs.push(`${parts[index] ?? ''}: ${parts[index + 1] ?? ''}`)
    return `{${pairs.join(', ')}${inputs.length > limits.each ? ', …' : ''}}`
  }
  const inner = parts.join(', ') + (inputs.length > limits.each ? ', …' : '')
  if (node.kind === 'prim::TupleConstruct') return parts.length === 1 ? `(${inner},)` : `(${inner})`
  return `[${inner}]`
}

/** An attribute as Python writes it. */
export function attributeText(value: GraphAttribute, isText = false): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value === 'string') return isText ? JSON.stringify(value) : value
  if (Array.isArray(value)) return `[${value.map((item) => attributeText(item)).join(', ')}]`
  const size = Math.abs(value)
  if (size === 0 || size >= 1e-4) return String(value)
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

/** The name of the argument that an input of a node is, by its schema; "" when it says none. */
export function argumentName(node: GraphNode, input: number): string {
  return node.schema === undefined ? '' : (schemaArguments(node.schema)[input]?.name ?? '')
}

/**
 * Values that say "as usual" where the schema has no default: the tracer writes them all out, and what
 * a convolution does differently is lost among them.
 */
const neutral: Record<string, RegExp> = {
  dilation: /^\[1(, 1)*\]$/,
  padding: /^\[0(, 0)*\]$/,
  output_padding: /^\[0(, 0)*\]$/,
  groups: /^1$/,
  transposed: /^False$/,
  benchmark: /./,
  deterministic: /./,
  cudnn_enabled: /./,
  cudnn_enable: /./,
  allow_tf32: /./,
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** Attributes and constants that say what a node does; what a schema has by default is left out. */
function keyAttributes(model: GraphModel, node: GraphNode, showConstants: boolean): string[] {
  const result: string[] = []
  if (node.kind === 'prim::Constant') {
    const first = model.firstOutput[node.id] ?? -1
    return [cut(constantText(model, first) ?? '')]
  }
  for (const [name, value] of Object.entries(node.attributes)) {
    if (name === 'may_alias' || name === 'writes_to' || name === 'saved_bytes') continue
    if (Array.isArray(value) && value.length === 0) continue
    const text = attributeText(value)
    result.push(cut(name === 'name' || name === 'variable' ? text : `${name}=${text}`))
  }
  if (showConstants) return result
  const inputs = inputsOf(model, node.id)
  const schema = node.schema === undefined ? [] : schemaArguments(node.schema)
  const parameters: string[] = []
  const others: string[] = []
  for (const [index, input] of inputs.entries()) {
    const text = constantText(model, input)
    if (text === null) continue
    const argument = schema[index]
    if (argument?.default !== undefined && isDefault(text, argument.default)) continue
    const name = argument?.name ?? ''
    if (text === 'None' || neutral[name]?.test(text) === true) continue
    const producer = model.nodes[model.values[input]?.producer ?? -1]
    const isParameter = producer?.kind === 'prim::GetAttr'
    // A parameter's own name says what it is: "fc.weight" rather than "weight=fc.weight".
    ;(isParameter ? parameters : others).push(
      cut(name === '' || isParameter ? shortPath(text) : `${name}=${text}`),
    )
  }
  return [...result, ...others.slice(0, 4), ...parameters.slice(0, 1)]
}

/** The last two parts of a path: "layer1.0.conv1.weight" → "conv1.weight". */
function shortPath(path: string): string {
  return path.split('.').slice(-2).join('.')
}

function isDefault(text: string, standard: string): boolean {
  if (text === standard) return true
  const a = Number(text)
  return text !== '' && standard !== '' && !Number.isNaN(a) && a === Number(standard)
}

/** Width of text in pixels at 12 px, good enough for boxes where no font can be asked. */
export function estimateTextWidth(text: string): number {
  let width = 0
  for (const character of text)
    width += /[iljt.,:;'|!\[\]() ]/.test(character)
      ? 3.9
      : /[mwMW@%×=…]/.test(character)
        ? 9.6
        : 6.9
  return width
}

/** Sizes of boxes for pictures without a window; the layout's `measure`. */
export function measureWith(
  model: GraphModel,
  showConstants = false,
): (item: LayoutItem) => { width: number; height: number } {
  return (item) => {
    const { title, namespace, attributes, custom } = describeItem(model, item, showConstants)
    const head = estimateTextWidth(namespace === '' ? title : `${namespace}::${title}`) * 1.08
    const mark = custom ? 16 : 0
    const body = attributes.map((text) => estimateTextWidth(text) * 0.9)
    const width = Math.max(44, head + mark + 20, ...body.map((text) => text + 20))
    return { width: Math.ceil(width), height: 24 + attributes.length * 14 }
  }
}
