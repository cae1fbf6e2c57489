import type { Argument, InputSpec } from '../../contract/manifest'

/** Inputs that arguments name, in the order in which they first appear. */
export function inputsNamed(
  args: readonly Argument[],
  inputs: Readonly<Record<string, InputSpec>>,
): string[] {
  const found = new Set<string>()
  const visit = (value: Argument): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (typeof value === 'string' && Object.hasOwn(inputs, value)) found.add(value)
  }
  args.forEach(visit)
  return [...found]
}

function argumentText(value: Argument): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(argumentText).join(', ')}]`
  return value === null ? 'None' : String(value)
}

/** `my_op::f(x, [y, 2])` */
export function callText(op: string, args: readonly Argument[]): string {
  return `${op}(${args.map(argumentText).join(', ')})`
}
