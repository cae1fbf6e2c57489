/**
 * Sizes that are known by an expression only, as torch.export writes them: SymPy's `srepr`,
 * "Mul(Integer(2), Symbol('s77', positive=True, integer=True))". Older archives hold plain text.
 */
interface Term {
  text: string
  /** How strongly it binds: 0 sum, 1 product, 2 power, 3 name or number. */
  binding: number
}

const operators: Record<string, { sign: string; binding: number }> = {
  Add: { sign: ' + ', binding: 0 },
  Mul: { sign: '*', binding: 1 },
  Pow: { sign: '**', binding: 2 },
  FloorDiv: { sign: '//', binding: 1 },
  CleanDiv: { sign: '//', binding: 1 },
  PythonMod: { sign: '%', binding: 1 },
  Mod: { sign: '%', binding: 1 },
}

class Reader {
  private at = 0

  constructor(private readonly text: string) {}

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (!found) return undefined
    this.at += found[0].length
    return found[0]
  }

  /** One term, or undefined where the text is no srepr. */
  term(depth: number): Term | undefined {
    if (depth > 100) return undefined
    const number = this.take(/-?\d+(\.\d+)?/y)
    if (number !== undefined) return { text: number, binding: 3 }
    const quoted = this.take(/'[^']*'/y)
    if (quoted !== undefined) return { text: quoted.slice(1, -1), binding: 3 }
    const name = this.take(/[A-Za-z_][\w.]*/y)
    if (name === undefined) return undefined
    if (this.take(/\(/y) === undefined) return { text: name, binding: 3 }
    const parts: Term[] = []
    for (let first = true; this.take(/\s*\)/y) === undefined; first = false) {
      if (!first && this.take(/\s*,\s*/y) === undefined) return undefined
      // An assumption such as positive=True says nothing about the value.
      if (this.take(/\w+=\w+/y) !== undefined) continue
      const part = this.term(depth + 1)
      if (!part) return undefined
      parts.push(part)
    }
    return call(name, parts)
  }

  get done(): boolean {
    return this.at === this.text.length
  }
}

function call(name: string, parts: readonly Term[]): Term {
  const [first] = parts
  if ((name === 'Symbol' || name === 'Integer' || name === 'Float') && first) {
    return { text: first.text, binding: 3 }
  }
  if (name === 'Rational' && parts.length === 2) {
    return { text: parts.map((part) => part.text).join('/'), binding: 1 }
  }
  const operator = operators[name]
  if (!operator || parts.length < 2) {
    return { text: `${name}(${parts.map((part) => part.text).join(', ')})`, binding: 3 }
  }
  const commutative = name === 'Add' || name === 'Mul'
  const text = parts
    .map((part, index) => {
      const weaker = part.binding < operator.binding
      const ambiguous = !commutative && index > 0 && part.binding === operator.binding
      return weaker || ambiguous ? `(${part.text})` : part.text
    })
    .join(operator.sign)
  return { text: text.replaceAll('+ -', '- '), binding: operator.binding }
}

/** "2*s77" */
export function symbolicSize(expression: string): string {
  const reader = new Reader(expression)
  const term = reader.term(0)
  return term && reader.done ? term.text : expression
}
