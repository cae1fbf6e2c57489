import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'

/** What a formula may name. */
export interface FormulaScope {
  sizes: Readonly<Record<string, number>>
  /** Elements and bytes of each input. */
  inputs: Readonly<Record<string, { elements: number; bytes: number }>>
}

const tokenPattern = /\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|[A-Za-z_]\w*|\*\*|[-+*/()])/y

/** An error of the formula itself; `evaluateFormula` makes a Result of it. */
class FormulaError extends Error {}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < text.trimEnd().length) {
    const place = tokenPattern.lastIndex
    const token = tokenPattern.exec(text)?.[1]
    if (token === undefined) {
      const rest = text.slice(place).trimStart()
      throw new FormulaError(`"${rest.slice(0, 1)}" is not allowed`)
    }
    tokens.push(token)
  }
  return tokens
}

/** Recursive descent over Python's precedence: `**` binds tighter than a sign, and to the right. */
class Parser {
  private place = 0

  constructor(
    private readonly tokens: readonly string[],
    private readonly scope: FormulaScope,
  ) {}

  whole(): number {
    const value = this.sum()
    const left = this.tokens[this.place]
    if (left !== undefined) throw new FormulaError(`"${left}" is in the wrong place`)
    return value
  }

  private take(...wanted: string[]): string | undefined {
    const token = this.tokens[this.place]
    if (token === undefined || !wanted.includes(token)) return undefined
    this.place += 1
    return token
  }

  private sum(): number {
    let value = this.product()
    for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-'))
      value = sign === '+' ? value + this.product() : value - this.product()
    return value
  }

  private product(): number {
    let value = this.signed()
    for (let sign = this.take('*', '/'); sign; sign = this.take('*', '/'))
      value = sign === '*' ? value * this.signed() : value / this.signed()
    return value
  }

  private signed(): number {
    const sign = this.take('-', '+')
    if (sign !== undefined) return sign === '-' ? -this.signed() : this.signed()
    const base = this.atom()
    return this.take('**') === undefined ? base : base ** this.signed()
  }

  private atom(): number {
    const token = this.tokens[this.place]
    if (token === undefined) throw new FormulaError('the formula is incomplete')
    this.place += 1
    if (/^[\d.]/.test(token)) return Number(token)
    if (token === '(') {
      const value = this.sum()
      if (this.take(')') === undefined) throw new FormulaError('a ")" is missing')
      return value
    }
    if (!/^[A-Za-z_]/.test(token)) throw new FormulaError(`"${token}" is in the wrong place`)
    return this.take('(') === undefined ? this.size(token) : this.ofInput(token)
  }

  private size(name: string): number {
    const value = Object.hasOwn(this.scope.sizes, name) ? this.scope.sizes[name] : undefined
    if (value !== undefined) return value
    const isInput = Object.hasOwn(this.scope.inputs, name)
    throw new FormulaError(
      isInput
        ? `"${name}" is an input: write numel(${name}) or nbytes(${name})`
        : `"${name}" is not one of the benchmark's sizes`,
    )
  }

  private ofInput(called: string): number {
    const name = this.tokens[this.place] ?? ''
    this.place += 1
    if (called !== 'numel' && called !== 'nbytes')
      throw new FormulaError(`there is no function ${called}: use numel or nbytes of an input`)
    const input = Object.hasOwn(this.scope.inputs, name) ? this.scope.inputs[name] : undefined
    if (!input) throw new FormulaError(`${called}(${name}) needs the name of an input`)
    if (this.take(')') === undefined) throw new FormulaError('a ")" is missing')
    return called === 'numel' ? input.elements : input.bytes
  }
}

/**
 * A number worked out from sizes: digits, names of sizes, + - * / ** ( ), numel(x) and nbytes(x) of an
 * input. Nothing is executed but this arithmetic. `field` is named by errors: "flops".
 */
export function evaluateFormula(text: string, field: string, scope: FormulaScope): Result<number> {
  let value: number
  try {
    value = new Parser(tokensOf(text), scope).whole()
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof FormulaError)) throw error
    const why = error instanceof FormulaError ? error.message : 'the brackets are nested too deeply'
    return err('input.invalid', `The formula of ${field}, "${text.slice(0, 200)}": ${why}.`, {
      hint: 'A formula can contain numbers, names of sizes, + - * / ** ( ), and numel(x) or nbytes(x) of an input x.',
      path: field,
    })
  }
  return Number.isFinite(value) && value >= 0
    ? ok(value)
    : err(
        'input.invalid',
        `The formula of ${field}, "${text}", gives ${value}, but must give a finite number of at least 0.`,
        { path: field },
      )
}
