import type { z } from 'zod'

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The parts of zod's own description of a shape that are read here. */
interface Described {
  type: string
  element?: z.ZodType
  shape?: Record<string, z.ZodType>
  catchall?: z.ZodType
  options?: z.ZodType[]
  items?: z.ZodType[]
  innerType?: z.ZodType
  keyType?: z.ZodType
  valueType?: z.ZodType
  values?: unknown[]
  entries?: Record<string, unknown>
  in?: z.ZodType
  getter?: () => z.ZodType
}

const described = (shape: z.ZodType): Described => shape._zod.def

/** Shapes may hold themselves. */
const mostDepth = 6

/** Makes messages of a shape, and others that do not fit it. */
export class ShapeMessages {
  /**
   * @param texts what a text may be, besides generated ones: names and paths that mean something
   */
  constructor(
    private readonly random: () => number,
    private readonly texts: readonly string[],
  ) {}

  below(count: number): number {
    return Math.floor(this.random() * count)
  }

  private oneOf<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined && values.length === 0) throw new Error('nothing to choose from')
    return value as T
  }

  private text(): string {
    if (this.random() < 0.7) return this.oneOf(this.texts)
    return this.oneOf([
      '',
      'x',
      '\0',
      '..',
      '../../../../etc/passwd',
      '.git/hooks/pre-commit',
      '\ud800',
      'ü\u202e<img src=x onerror=alert(1)>',
      '__proto__',
      'constructor',
      '%s%n%00',
      '$(touch ran)',
      'a'.repeat(1 + this.below(5000)),
      '['.repeat(2000),
      '-1',
      'NaN',
    ])
  }

  private number(): number {
    return this.oneOf([
      0,
      1,
      2,
      3,
      10,
      64,
      0.5,
      1e-6,
      -1,
      1e9,
      2 ** 31,
      Number.MAX_SAFE_INTEGER,
      2 ** 62,
      1e308,
      this.below(100),
    ])
  }

  /** Of the shape as far as its structure says; rules on values may be broken. */
  private make(shape: z.ZodType, depth: number): unknown {
    const given = described(shape)
    const inner = (one: z.ZodType | undefined): unknown =>
      one === undefined ? undefined : this.make(one, depth + 1)
    const count = (): number => (depth > mostDepth ? 0 : this.below(4))
    switch (given.type) {
      case 'string':
        return this.text()
      case 'number':
      case 'int':
        return this.number()
      case 'boolean':
        return this.random() < 0.5
      case 'null':
        return null
      case 'literal':
        return this.oneOf(given.values ?? [])
      case 'enum':
        return this.oneOf(Object.values(given.entries ?? {}))
      case 'array':
        return Array.from({ length: count() }, () => inner(given.element))
      case 'tuple':
        return (given.items ?? []).map((item) => inner(item))
      case 'object':
        return Object.fromEntries(
          Object.entries(given.shape ?? {}).flatMap(([name, field]) => {
            const value = inner(field)
            return value === undefined ? [] : [[name, value]]
          }),
        )
      case 'record':
        return Object.fromEntries(
          Array.from({ length: count() }, () => [
            String(inner(given.keyType)),
            inner(given.valueType),
          ]),
        )
      case 'union': {
        const options = given.options ?? []
        // What is deep ends with the first option, which holds no others.
        return inner(depth > mostDepth ? options[0] : this.oneOf(options))
      }
      case 'optional':
      case 'default':
      case 'prefault':
        return this.random() < 0.5 || depth > mostDepth ? undefined : inner(given.innerType)
      case 'nullable':
        return this.random() < 0.3 ? null : inner(given.innerType)
      case 'readonly':
      case 'nonoptional':
      case 'catch':
        return inner(given.innerType)
      case 'pipe':
        return inner(given.in)
      case 'lazy':
        return inner(given.getter?.())
      case 'unknown':
      case 'any':
        return this.anything()
      default:
        throw new Error(`from-shape.ts knows no ${given.type}`)
    }
  }

  private anything(): unknown {
    return this.oneOf<() => unknown>([
      () => null,
      () => this.text(),
      () => this.number(),
      () => NaN,
      () => Infinity,
      () => [],
      () => ({}),
      () => [this.text(), this.number()],
      () => ({ [this.text()]: this.text() }),
      () => true,
      () => 10n,
      () => new Uint8Array(8),
      () => new Map([['a', 1]]),
      () => new Date(0),
    ])()
  }

  /** Fits, unless the shape is so narrow that none of some attempts did. */
  fitting(shape: z.ZodType): unknown {
    let value: unknown
    for (let attempt = 0; attempt < 20; attempt += 1) {
      value = this.make(shape, 0)
      if (shape.safeParse(value).success) return value
    }
    return value
  }

  /** A message of the shape with something else at one or more of its places; it may still fit. */
  spoiled(shape: z.ZodType): unknown {
    return this.random() < 0.1 ? this.anything() : this.spoil(this.make(shape, 0))
  }

  private spoil(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return this.anything()
    if (Array.isArray(value)) {
      const copy: unknown[] = [...(value as unknown[])]
      if (copy.length === 0 || this.random() < 0.3) return [...copy, this.anything()]
      const place = this.below(copy.length)
      copy[place] = this.spoil(copy[place])
      return copy
    }
    const entries = Object.entries(value)
    if (entries.length === 0 || this.random() < 0.15)
      return Object.fromEntries([...entries, [this.text(), this.anything()]])
    const place = this.below(entries.length)
    if (this.random() < 0.25) return Object.fromEntries(entries.filter((_, at) => at !== place))
    return Object.fromEntries(
      entries.map(([name, field], at) => [name, at === place ? this.spoil(field) : field]),
    )
  }
}
