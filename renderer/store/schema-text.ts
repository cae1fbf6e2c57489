import type { OperatorArgument } from '../../electron/contract/operators'

export type Signature = {
  name: string
  arguments: OperatorArgument[]
  returns: string
}

/**
 * Reads a schema as the dispatcher prints it: `ns::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)`.
 * Program functions come as such a text only.
 */
export function parseSchema(schema: string): Signature {
  const open = schema.indexOf('(')
  const close = matching(schema, open)
  const parts = splitTop(schema.slice(open + 1, close))
  const parsed: OperatorArgument[] = []
  let kwargOnly = false
  for (const part of parts) {
    if (part === '*') kwargOnly = true
    else parsed.push(parseArgument(part, kwargOnly))
  }
  const arrow = schema.indexOf('->', close)
  const returns = arrow < 0 ? '' : schema.slice(arrow + 2).trim()
  return { name: schema.slice(0, open), arguments: parsed, returns }
}

function parseArgument(text: string, kwargOnly: boolean): OperatorArgument {
  const equals = topIndex(text, '=')
  const declared = (equals < 0 ? text : text.slice(0, equals)).trim()
  const space = declared.lastIndexOf(' ')
  const rawType = space < 0 ? declared : declared.slice(0, space).trim()
  const name = space < 0 ? '' : declared.slice(space + 1)
  const alias = /\(([a-z*][a-z0-9|*]*!?)(?: -> [^)]*)?\)/.exec(rawType)
  return {
    name,
    type: alias ? rawType.replace(alias[0], '') : rawType,
    kwargOnly,
    ...(equals < 0 ? {} : { default: text.slice(equals + 1).trim() }),
    ...(alias?.[1] === undefined ? {} : { alias: alias[1] }),
  }
}

function matching(text: string, open: number): number {
  let depth = 0
  for (let i = open; i < text.length; i += 1) {
    if (text[i] === '(') depth += 1
    if (text[i] === ')') depth -= 1
    if (depth === 0) return i
  }
  return text.length
}

/** Splits at commas outside brackets and strings. */
export function splitTop(text: string): string[] {
  const parts: string[] = []
  let rest = text
  for (let comma = topIndex(rest, ','); comma >= 0; comma = topIndex(rest, ',')) {
    parts.push(rest.slice(0, comma).trim())
    rest = rest.slice(comma + 1)
  }
  if (rest.trim() !== '') parts.push(rest.trim())
  return parts
}

function topIndex(text: string, wanted: string): number {
  let depth = 0
  let quote = ''
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] ?? ''
    if (quote !== '') {
      if (character === '\\') i += 1
      else if (character === quote) quote = ''
    } else if (character === '"' || character === "'") quote = character
    else if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (depth === 0 && character === wanted) return i
  }
  return -1
}

export type SchemaToken = {
  kind: 'namespace' | 'name' | 'overload' | 'type' | 'argument' | 'alias' | 'default' | 'mark'
  text: string
}

/** A schema in pieces that can be coloured. */
export function schemaTokens(schema: string): SchemaToken[] {
  const tokens: SchemaToken[] = []
  const push = (kind: SchemaToken['kind'], text: string): void => {
    if (text !== '') tokens.push({ kind, text })
  }
  const open = schema.indexOf('(')
  if (open < 0) return [{ kind: 'name', text: schema }]
  const full = schema.slice(0, open)
  const colons = full.indexOf('::')
  const dot = full.indexOf('.', Math.max(colons, 0))
  push('namespace', colons < 0 ? '' : full.slice(0, colons + 2))
  push('name', full.slice(colons < 0 ? 0 : colons + 2, dot < 0 ? full.length : dot))
  push('overload', dot < 0 ? '' : full.slice(dot))
  push('mark', '(')
  const close = matching(schema, open)
  splitTop(schema.slice(open + 1, close)).forEach((part, index) => {
    if (index > 0) push('mark', ', ')
    if (part === '*') push('mark', '*')
    else pushArgument(part, push)
  })
  push('mark', ')')
  const arrow = schema.indexOf('->', close)
  if (arrow >= 0) {
    push('mark', ' -> ')
    pushTyped(schema.slice(arrow + 2).trim(), push)
  }
  return tokens
}

type Push = (kind: SchemaToken['kind'], text: string) => void

function pushArgument(part: string, push: Push): void {
  const equals = topIndex(part, '=')
  const declared = equals < 0 ? part : part.slice(0, equals)
  const space = declared.lastIndexOf(' ')
  pushTyped(space < 0 ? declared : declared.slice(0, space), push)
  if (space >= 0) push('argument', declared.slice(space))
  if (equals >= 0) {
    push('mark', '=')
    push('default', part.slice(equals + 1))
  }
}

function pushTyped(type: string, push: Push): void {
  // Alias annotations are what one must not overlook in a schema: they are shown apart from the type.
  for (const piece of type.split(/(\([a-z*][a-z0-9|*]*!?(?: -> [^)]*)?\))/)) {
    push(/^\([a-z*]/.test(piece) && !piece.includes(',') ? 'alias' : 'type', piece)
  }
}
