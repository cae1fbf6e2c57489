/** What can be read off the text of a TorchScript program, whether it parses or not. */

/** What the program's own names mean: `import torch as t` → t: torch; `from torch import ops` → ops: torch.ops. */
export function importedNames(text: string): Map<string, string> {
  const names = new Map([['torch', 'torch']])
  const words = (list: string): [string, string][] =>
    list
      .replace(/[()\\]|#.*$/gm, ' ')
      .split(',')
      .map((part): [string, string] => {
        const [name = '', , alias = name] = part.trim().split(/\s+/)
        return [name, alias]
      })
      .filter(([name]) => name !== '')
  for (const match of text.matchAll(/^import\s+(.+)$/gm)) {
    for (const [name, alias] of words(match[1] ?? '')) {
      if (alias !== name) names.set(alias, name)
    }
  }
  for (const match of text.matchAll(/^from\s+([\w.]+)\s+import\s+(\([^)]*\)|.+)$/gm)) {
    for (const [name, alias] of words(match[2] ?? '')) names.set(alias, `${match[1] ?? ''}.${name}`)
  }
  return names
}

/** `torch.ops.ns.op` for a path as it is written, its first name looked up. */
export function resolvePath(path: string, names: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = path.split('.')
  return [names.get(first) ?? first, ...rest].join('.')
}

/** The dotted path that ends at an offset: of "x = torch.ops.aten.re" it is "torch.ops.aten.re". */
export function pathBefore(text: string): string {
  return (
    /(?:^|[^\w.])((?:[A-Za-z_]\w*\s*\.\s*)*[A-Za-z_]?\w*)$/.exec(text)?.[1]?.replace(/\s/g, '') ??
    ''
  )
}

/** The path up to the end of the word at a column (1-based) of a line, and where that word is. */
export function pathAt(
  line: string,
  column: number,
): { path: string; start: number; end: number } | undefined {
  for (const match of line.matchAll(/[A-Za-z_]\w*/g)) {
    const start = match.index + 1
    const end = start + match[0].length
    if (column >= start && column <= end)
      return { path: pathBefore(line.slice(0, end - 1)), start, end }
  }
  return undefined
}

export type OpenCall = {
  /** As it is written before the bracket. */
  path: string
  /** Position of the argument that is being written. */
  argument: number
  /** Its name, where it is given by name; "" otherwise. */
  keyword: string
}

/** The innermost call whose brackets are open at the end of a text; undefined outside of calls. */
export function openCall(text: string): OpenCall | undefined {
  // Strings and comments have brackets and commas of their own.
  const plain = text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*/g, (word) =>
    ' '.repeat(word.length),
  )
  let depth = 0
  let argument = 0
  let from = plain.length
  for (let index = plain.length - 1; index >= 0; index -= 1) {
    const letter = plain[index] ?? ''
    if (')]}'.includes(letter)) depth += 1
    else if ('([{'.includes(letter)) {
      if (depth > 0) {
        depth -= 1
        continue
      }
      const path = letter === '(' ? pathBefore(plain.slice(0, index).trimEnd()) : ''
      if (path === '' || /\b(?:def|class)\s+\w*$/.test(plain.slice(0, index))) return undefined
      const own = argument === 0 ? plain.slice(index + 1) : plain.slice(from)
      return { path, argument, keyword: /^\s*(\w+)\s*=(?!=)/.exec(own)?.[1] ?? '' }
    } else if (letter === ',' && depth === 0) {
      if (argument === 0) from = index + 1
      argument += 1
    }
  }
  return undefined
}

export type ProgramDefinition = {
  name: string
  kind: 'function' | 'class'
  /** 1-based. */
  line: number
  /** "f(x: Tensor, n: int = 1) -> Tensor" */
  signature: string
  doc: string
}

/** Functions and classes of the top level. */
export function definitionsOf(text: string): ProgramDefinition[] {
  const pattern =
    /^(def|class)[ \t]+(\w+)[ \t]*(\([^)]*\))?([ \t]*->[^:\n]+)?:?[^\n]*(?:\n\s+("""|''')([\s\S]*?)\5)?/gm
  return [...text.matchAll(pattern)].map((match) => {
    const [, word, name = '', list = '', result = '', , doc = ''] = match
    return {
      name,
      kind: word === 'class' ? 'class' : 'function',
      line: text.slice(0, match.index).split('\n').length,
      signature: `${name}${list.replace(/\s+/g, ' ')}${result.trimEnd()}`,
      doc: doc.trim().replace(/\n\s+/g, '\n'),
    }
  })
}

/** Where each parameter stands in a signature, as start and end. */
export function parameterRanges(signature: string): { name: string; range: [number, number] }[] {
  const open = signature.indexOf('(')
  const found: { name: string; range: [number, number] }[] = []
  let depth = 0
  let start = open + 1
  for (let index = open; index >= 0 && index < signature.length; index += 1) {
    const letter = signature[index] ?? ''
    if ('([{'.includes(letter)) depth += 1
    if (')]}'.includes(letter)) depth -= 1
    const isEnd = depth === 0
    if (!isEnd && !(letter === ',' && depth === 1)) continue
    const text = signature.slice(start, index)
    const first = start + (text.length - text.trimStart().length)
    const trimmed = text.trim()
    if (trimmed !== '' && trimmed !== '*')
      found.push({ name: nameIn(trimmed), range: [first, first + trimmed.length] })
    start = index + 1
    if (isEnd) break
  }
  return found
}

/** "Tensor(a!) self=1" and "self: Tensor = 1" are both about self. */
function nameIn(parameter: string): string {
  const declared = parameter.split('=')[0]?.trim() ?? ''
  const python = /^(\w+)\s*:/.exec(declared)?.[1]
  return python ?? /(\w+)$/.exec(declared)?.[1] ?? ''
}
