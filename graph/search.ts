import type { GraphObservation } from '../electron/contract/graph'
import { describeItem } from './describe'
import type { GraphModel, ModelValue } from './model'
import { parseShape, shapeMatches } from './shape-pattern'
import type { ShapePattern } from './shape-pattern'

/** One condition of a query; all of a query's hold for what is found. */
type Term = { excludes: boolean } & (
  | { kind: 'word'; text: string }
  | { kind: 'op'; matches: (kind: string) => boolean }
  | { kind: 'name'; matches: (name: string) => boolean }
  | { kind: 'scope'; text: string }
  | { kind: 'dtype'; dtype: string }
  | { kind: 'device'; device: string }
  | { kind: 'shape'; pattern: ShapePattern }
  | { kind: 'line'; line: number }
  | { kind: 'flag'; flag: Flag }
)
type Flag = 'custom' | 'nan' | 'inf' | 'slow'

export interface Query {
  terms: readonly Term[]
}
export type ParsedQuery = { ok: true; query: Query } | { ok: false; message: string }

const flags: ReadonlySet<string> = new Set(['custom', 'nan', 'inf', 'slow'])
const fields = ['op', 'name', 'scope', 'dtype', 'device', 'shape', 'line']

const dtypeNames: Record<string, string> = {
  float: 'float32',
  double: 'float64',
  half: 'float16',
  long: 'int64',
  int: 'int32',
  short: 'int16',
  char: 'int8',
  byte: 'uint8',
  f64: 'float64',
  f32: 'float32',
  f16: 'float16',
  bf16: 'bfloat16',
  c64: 'complex64',
  c128: 'complex128',
  i64: 'int64',
  i32: 'int32',
  i16: 'int16',
  i8: 'int8',
  u8: 'uint8',
}
const dtypes = new Set([...Object.values(dtypeNames), 'bool'])

/**
 * Reads a query: terms with spaces between, all of which must hold; "-" before a term excludes.
 * - a word, or "several words": in the operator, names of values, scope or attributes
 * - op:conv, op:aten::add* - a part of the operator's name, or with * all of it
 * - name:x - a value it takes or puts out; x is also x.1; * for any text
 * - dtype:f32, device:cuda, shape:[*, 512] (* any size, ... any sizes, >=8) - of what it puts out
 * - scope:layers.0, line:12
 * - custom; nan, inf, slow - with an observation
 * A query that cannot be read is an answer with the reason.
 */
export function parseQuery(text: string): ParsedQuery {
  const terms: Term[] = []
  for (const token of tokens(text)) {
    if (typeof token !== 'string') return { ok: false, message: token.error }
    const excludes = token.startsWith('-') && token.length > 1
    const body = excludes ? token.slice(1) : token
    const term = readTerm(body)
    if (typeof term === 'string') return { ok: false, message: term }
    terms.push({ ...term, excludes })
  }
  return { ok: true, query: { terms } }
}

/** Parts of a query; spaces within quotes and brackets do not part. */
function* tokens(text: string): Generator<string | { error: string }> {
  let token = ''
  let quoted = false
  let depth = 0
  for (const character of text) {
    if (character === '"') quoted = !quoted
    else if (!quoted && character === '[') depth += 1
    else if (!quoted && character === ']') depth -= 1
    if (depth < 0) {
      yield { error: '"]" has no matching "["' }
      return
    }
    if (/\s/.test(character) && !quoted && depth === 0) {
      if (token !== '') yield token
      token = ''
    } else token += character
  }
  if (quoted) yield { error: 'a quotation mark is not closed' }
  else if (depth > 0) yield { error: '"[" has no matching "]"' }
  else if (token !== '') yield token
}

type Bare<T> = T extends unknown ? Omit<T, 'excludes'> : never

function readTerm(body: string): Bare<Term> | string {
  if (flags.has(body.toLowerCase())) return { kind: 'flag', flag: body.toLowerCase() as Flag }
  const field = /^([a-z]+):(?!:)(.*)$/is.exec(body)
  if (!field || body.startsWith('"'))
    return { kind: 'word', text: body.replaceAll('"', '').toLowerCase() }
  const name = (field[1] ?? '').toLowerCase()
  const value = (field[2] ?? '').replaceAll('"', '')
  if (!fields.includes(name))
    return `"${name}:" is not a search field: use ${fields.map((item) => `${item}:`).join(', ')}`
  if (value === '') return `"${name}:" needs a value after the colon`
  switch (name) {
    case 'op':
      return { kind: 'op', matches: textMatcher(value, false) }
    case 'name':
      return { kind: 'name', matches: textMatcher(value.replace(/^%/, ''), true) }
    case 'scope':
      return { kind: 'scope', text: value.toLowerCase() }
    case 'dtype': {
      const dtype = dtypeNames[value.toLowerCase()] ?? value.toLowerCase()
      if (!dtypes.has(dtype))
        return `"${value}" is not a dtype: write ${[...dtypes].join(', ')}, or a short name such as f32, i64, bf16`
      return { kind: 'dtype', dtype }
    }
    case 'device':
      return { kind: 'device', device: value.toLowerCase() }
    case 'line': {
      const line = Number(value)
      return Number.isInteger(line) && line > 0
        ? { kind: 'line', line }
        : `"line:" needs a line number, not "${value}"`
    }
    default: {
      const pattern = parseShape(value)
      return typeof pattern === 'string' ? pattern : { kind: 'shape', pattern }
    }
  }
}

/** With * a pattern for the whole text; without, for operators a part of it, for names all of it or all but ".1". */
function textMatcher(pattern: string, isName: boolean): (text: string) => boolean {
  const lower = pattern.toLowerCase()
  if (lower.includes('*')) {
    const source = lower
      .split(/\*+/)
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
      .join('[^]*')
    const whole = new RegExp(`^${source}$`)
    return (text) => {
      const low = text.toLowerCase()
      return whole.test(low) || (!isName && whole.test(low.slice(low.lastIndexOf('::') + 2)))
    }
  }
  if (!isName) return (text) => text.toLowerCase().includes(lower)
  return (text) => {
    const low = text.toLowerCase()
    return low === lower || low.replace(/\.\d+$/, '') === lower
  }
}

export interface SearchOptions {
  /** What a run saw: for nan, inf and slow, and for shapes and dtypes that the graph does not know. */
  observation?: GraphObservation | undefined
  /** Constants are found too; without, their users are. */
  constants?: boolean
}

export type SearchResult = { ok: true; nodes: number[] } | { ok: false; message: string }

/** Nodes that a query holds for, in the order of the text; an empty query finds nothing. */
export function searchGraph(
  model: GraphModel,
  query: Query,
  options: SearchOptions = {},
): SearchResult {
  if (query.terms.length === 0) return { ok: true, nodes: [] }
  const needed = query.terms.find((term) => term.kind === 'flag' && term.flag !== 'custom')
  if (needed?.kind === 'flag' && !options.observation)
    return {
      ok: false,
      message: `"${needed.flag}" needs data from a run: choose an overlay first`,
    }
  const seen = new Map(options.observation?.nodes.map((node) => [node.id, node]))
  // Slow: a twentieth of the whole run or more.
  const slow = (options.observation?.seconds ?? 0) / 20
  const holds = (term: Term, id: number): boolean => {
    const node = model.nodes[id]
    if (!node) return false
    switch (term.kind) {
      case 'word':
        return haystack(model, id).includes(term.text)
      case 'op':
        return term.matches(node.kind)
      case 'name': {
        if (node.outputs.some((value) => term.matches(value.name))) return true
        return node.inputs.some((name) => term.matches(name))
      }
      case 'scope':
        return (node.scope ?? []).join('/').toLowerCase().includes(term.text)
      case 'dtype':
        return (
          outputs(model, id).some((value) => value.tensor?.dtype === term.dtype) ||
          (seen.get(id)?.values.some((value) => value.dtype === term.dtype) ?? false)
        )
      case 'device':
        return (
          outputs(model, id).some((value) => isDevice(value.tensor?.device, term.device)) ||
          (seen.get(id)?.values.some((value) => isDevice(value.device, term.device)) ?? false)
        )
      case 'shape':
        return (
          outputs(model, id).some(
            (value) => value.tensor?.shape && shapeMatches(term.pattern, value.tensor.shape),
          ) ||
          (seen.get(id)?.values.some((value) => shapeMatches(term.pattern, value.shape)) ?? false)
        )
      case 'line':
        return (
          node.source !== undefined &&
          node.source.line <= term.line &&
          term.line <= node.source.endLine
        )
      case 'flag': {
        const observed = seen.get(id)
        if (term.flag === 'custom') return node.custom === true
        if (term.flag === 'nan') return observed?.values.some((value) => value.nan > 0) ?? false
        if (term.flag === 'inf') return observed?.values.some((value) => value.inf > 0) ?? false
        return observed !== undefined && observed.calls > 0 && observed.seconds >= slow && slow > 0
      }
    }
  }
  const nodes: number[] = []
  for (let id = 0; id < model.nodes.length; id += 1) {
    if (model.constant[id] === 1 && options.constants !== true) continue
    if (query.terms.every((term) => holds(term, id) !== term.excludes)) nodes.push(id)
  }
  return { ok: true, nodes }
}

function outputs(model: GraphModel, id: number): ModelValue[] {
  const first = model.firstOutput[id] ?? 0
  return model.values.slice(first, first + (model.nodes[id]?.outputs.length ?? 0))
}

function isDevice(device: string | undefined, wanted: string): boolean {
  return device === wanted || (device?.startsWith(`${wanted}:`) ?? false)
}

const haystacks = new WeakMap<GraphModel, (string | undefined)[]>()

/** All of a node that words look in, in lower case; made when first asked for. */
function haystack(model: GraphModel, id: number): string {
  let texts = haystacks.get(model)
  if (!texts) haystacks.set(model, (texts = []))
  let text = texts[id]
  if (text === undefined) {
    const node = model.nodes[id]
    if (!node) return ''
    const { title, attributes } = describeItem(model, { kind: 'node', node })
    const names = node.outputs.map((value) => value.name)
    text = [node.kind, title, ...names, ...node.inputs, (node.scope ?? []).join('/'), ...attributes]
      .join('\n')
      .toLowerCase()
    texts[id] = text
  }
  return text
}
