/** Black's line length, which ruff and most editors share. */
const width = 88

/**
 * `head(args)tail` as Black writes it: on one line, else with the arguments on a line of their own, else
 * with a line for each.
 */
export function pythonCall(
  indent: string,
  head: string,
  args: readonly string[],
  tail = '',
): string[] {
  const whole = `${indent}${head}(${args.join(', ')})${tail}`
  if (whole.length <= width || args.length === 0) return [whole]
  const inner = `${indent}    ${args.join(', ')}`
  const lines = inner.length <= width ? [inner] : args.map((one) => `${indent}    ${one},`)
  return [`${indent}${head}(`, ...lines, `${indent})${tail}`]
}

/** `target = head(args)`; several targets, as pythonTargets has them, stay on the line, and what does not fit beside them goes below. */
export function pythonAssignment(
  indent: string,
  target: string,
  head: string,
  args: readonly string[],
): string[] {
  const value = `${head}(${args.join(', ')})`
  const fits = `${indent}${target} = ${value}`.length <= width
  if (fits || !target.includes(',') || indent.length + 4 + value.length > width) {
    return pythonCall(indent, `${target} = ${head}`, args)
  }
  return [`${indent}${target} = (`, `${indent}    ${value}`, `${indent})`]
}

/** What a tuple is taken apart into: "a, b", "(a,)". */
export function pythonTargets(names: readonly string[]): string {
  return names.length === 1 ? `(${names[0] ?? ''},)` : names.join(', ')
}

/** A list of strings as the value of what stands before it, `indent` being that of its line. */
export function pythonList(items: readonly string[], indent: string): string {
  const texts = items.map((item) => JSON.stringify(item))
  const line = `[${texts.join(', ')}]`
  if (line.length + indent.length <= width) return line
  return ['[', ...texts.map((text) => `${indent}    ${text},`), `${indent}]`].join('\n')
}
