export interface SchemaArgument {
  /** "Tensor(a!)", "int[2]?" */
  type: string
  name: string
  /** As the schema writes it: "1", "None", "[]"; undefined for none. */
  default?: string
}

/**
 * The arguments of a schema as PyTorch prints it, "aten::add.Tensor(Tensor self, Tensor other, *,
 * Scalar alpha=1) -> Tensor"; [] for text that is none.
 */
export function schemaArguments(schema: string): readonly SchemaArgument[] {
  let known = parsed.get(schema)
  if (!known) {
    known = parse(schema)
    // Graphs use few schemas, but a session may see many graphs.
    if (parsed.size > 10_000) parsed.clear()
    parsed.set(schema, known)
  }
  return known
}

const parsed = new Map<string, SchemaArgument[]>()

function parse(schema: string): SchemaArgument[] {
  const open = schema.indexOf('(')
  if (open < 0) return []
  const result: SchemaArgument[] = []
  let depth = 0
  let quote = ''
  let part = ''
  for (let index = open + 1; index < schema.length; index += 1) {
    const character = schema[index] ?? ''
    if (quote !== '') {
      if (character === '\\') part += character + (schema[(index += 1)] ?? '')
      else {
        part += character
        if (character === quote) quote = ''
      }
      continue
    }
    if (character === "'" || character === '"') quote = character
    if (character === '(' || character === '[') depth += 1
    if (character === ')' && depth === 0) break
    if (character === ')' || character === ']') depth -= 1
    if (character === ',' && depth === 0) {
      push(result, part)
      part = ''
    } else part += character
  }
  push(result, part)
  return result
}

function push(result: SchemaArgument[], part: string): void {
  const text = part.trim()
  if (text === '' || text === '*' || text === '...') return
  // The name is the word before "=" or the end; what stands before it is the type.
  const match = /^(.*?)\s+([A-Za-z_]\w*)\s*(?:=(.*))?$/s.exec(text)
  if (!match) {
    result.push({ type: text, name: '' })
    return
  }
  const argument: SchemaArgument = { type: match[1] ?? '', name: match[2] ?? '' }
  if (match[3] !== undefined) argument.default = match[3].trim()
  result.push(argument)
}
