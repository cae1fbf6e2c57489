/**
 * What can be read off C++ source text without a compiler: enough to name arguments and to choose a
 * precompiled header. Where it reads wrongly nothing breaks: names fall back to libtorch's own.
 */

/** Comments become spaces, so offsets and lines stay; string and character literals are kept. */
export function withoutComments(source: string): string {
  return source.replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (match) => (match.startsWith('/') ? match.replace(/[^\n]/g, ' ') : match),
  )
}

export interface Include {
  /** As written between the quotes or brackets. */
  name: string
  quoted: boolean
}

export function includesOf(source: string): Include[] {
  const found: Include[] = []
  for (const match of withoutComments(source).matchAll(
    /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]/gm,
  )) {
    if (match[2] !== undefined) found.push({ name: match[2], quoted: match[1] === '"' })
  }
  return found
}

/** Index just past the bracket that closes the one at `open`; -1 when it never closes. */
function closing(text: string, open: number): number {
  let depth = 0
  for (let index = open; index < text.length; index += 1) {
    const character = text[index]
    if (character === '(' || character === '[' || character === '{') depth += 1
    if (character === ')' || character === ']' || character === '}') {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return -1
}

/** Splits a parameter list at its own commas, not at those inside brackets or templates. */
function splitParameters(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < list.length; index += 1) {
    const character = list[index] ?? ''
    if ('([{<'.includes(character)) depth += 1
    if (')]}'.includes(character) || (character === '>' && list[index - 1] !== '-')) depth -= 1
    if (character === ',' && depth === 0) {
      parts.push(list.slice(start, index))
      start = index + 1
    }
  }
  parts.push(list.slice(start))
  return parts.map((part) => part.trim()).filter((part) => part !== '' && part !== 'void')
}

const notNames = new Set([
  'const',
  'int',
  'float',
  'double',
  'bool',
  'long',
  'short',
  'char',
  'unsigned',
  'signed',
  'auto',
])

function parameterName(parameter: string): string {
  const declaration = parameter.split('=')[0]?.trim() ?? ''
  const name = /(?:^|[\s&*>])([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?$/.exec(declaration)?.[1] ?? ''
  // A lone word is a type without a name.
  return notNames.has(name) || name === declaration ? '' : name
}

export interface FoundFunction {
  /** Parameter names, "" for a nameless one. */
  parameters: string[]
  /** 1-based line of its name. */
  line: number
  /** With its body. */
  isDefinition: boolean
}

/** Words that come before a call, never before the name of a function being declared. */
const statementWords = new Set(['return', 'else', 'case', 'throw', 'co_return', 'new', 'do'])

/** A function that this source defines or else declares; undefined when it does neither. */
export function findFunction(source: string, functionName: string): FoundFunction | undefined {
  const text = withoutComments(source)
  const name = functionName.split('::').at(-1) ?? functionName
  // What comes before the name ends a type: a word and a blank, or a reference, pointer or template.
  const pattern = new RegExp(`(\\w*)([>&*\\]]?\\s+|[&*]\\s*)(?:\\w+::)*${name}\\s*\\(`, 'g')
  let declared: FoundFunction | undefined
  for (const match of text.matchAll(pattern)) {
    if (statementWords.has(match[1] ?? '')) continue
    const open = match.index + match[0].length - 1
    const end = closing(text, open)
    if (end < 0) continue
    const after = text.slice(end).trimStart()
    const isDefinition = /^(?:noexcept\b[^{;]*|->\s*[^{;]+)?\{/.test(after)
    if (!isDefinition && !after.startsWith(';')) continue
    const found = {
      parameters: splitParameters(text.slice(open + 1, end - 1)).map(parameterName),
      line: text.slice(0, open).split('\n').length,
      isDefinition,
    }
    if (isDefinition) return found
    declared ??= found
  }
  return declared
}

export function parameterNames(source: string, functionName: string): string[] | undefined {
  return findFunction(source, functionName)?.parameters
}

/** `m.def("forward", &my_op_forward` → forward: my_op_forward, for every def with a plain function. */
export function boundFunctions(source: string): { name: string; cppName: string }[] {
  const text = withoutComments(source)
  const found: { name: string; cppName: string }[] = []
  const pattern = /\.\s*def\s*\(\s*"([A-Za-z_]\w*)"\s*,\s*&?\s*((?:\w+::)*\w+)\s*[,)]/g
  for (const match of text.matchAll(pattern)) {
    if (match[1] !== undefined && match[2] !== undefined)
      found.push({ name: match[1], cppName: match[2] })
  }
  return found
}

/** An operator and the C++ function that a source registers for it. */
export interface RegisteredFunction {
  /** As written: "f" within TORCH_LIBRARY, "ns::f" elsewhere; without overload and schema. */
  operator: string
  /** 1-based line of the name. */
  line: number
  /** The function's name; "" for a lambda. */
  cppName: string
  /** Parameter names of a lambda. */
  parameters: string[]
}

const registration =
  /\b(?:def|impl|op|schema|RegisterOperators(?:\s+\w+)?)\s*\(\s*"((?:\w+::)?\w+)(?:"|[.(][^"]*")/g
/** What follows the name: a function, TORCH_FN(function), or options that name a kernel. */
const functionAfter = /^\s*,\s*(?:&\s*|TORCH_FN\s*\(\s*&?\s*)?((?:\w+::)*\w+)\s*[,)]/
const kernelAfter = /^[^;]{0,400}?[kK]ernel\s*<\s*decltype\(\s*&?\s*((?:\w+::)*\w+)/
const lambdaAfter = /^\s*,\s*\[[^\]]*\]\s*\(/

/** What a source registers with m.def, m.impl and torch::RegisterOperators, with the function of each. */
export function registeredFunctions(source: string): RegisteredFunction[] {
  const text = withoutComments(source)
  return [...text.matchAll(registration)].map((match) => {
    const end = match.index + match[0].length
    const after = text.slice(end)
    const lambda = lambdaAfter.exec(after)
    const open = end + (lambda?.[0].length ?? 0) - 1
    const close = lambda ? closing(text, open) : -1
    const list = close < 0 ? '' : text.slice(open + 1, close - 1)
    return {
      operator: match[1] ?? '',
      line: text.slice(0, match.index + match[0].indexOf('"')).split('\n').length,
      cppName: lambda ? '' : ((functionAfter.exec(after) ?? kernelAfter.exec(after))?.[1] ?? ''),
      parameters: splitParameters(list).map(parameterName),
    }
  })
}

/** The module names of PYBIND11_MODULE blocks, TORCH_EXTENSION_NAME left as it stands. */
export function pybindModules(source: string): string[] {
  return [...withoutComments(source).matchAll(/\bPYBIND11_MODULE\s*\(\s*(\w+)\s*,/g)].map(
    (match) => match[1] ?? '',
  )
}

/** 1-based line where a registration block mentions the operator, at or after the block's own line. */
export function registrationLine(source: string, blockLine: number, operatorName: string): number {
  const lines = source.split('\n')
  const call = /\b(?:def|impl)\s*\(/
  const mention = new RegExp(`["(]\\s*(?:\\w+::)?${operatorName}\\s*[".(]`)
  for (let index = Math.max(0, blockLine - 1); index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    // A formatter may have put the name on the line below the call.
    const text = /\(\s*$/.test(line) ? `${line}${lines[index + 1] ?? ''}` : line
    if (call.test(line) && mention.test(text)) return index + 1
    if (index > blockLine - 1 && line.startsWith('}')) break
  }
  return blockLine
}
