import type { AssemblyFunction } from '../../../contract/assembly'

/** clang's and g++'s names of lambdas within a demangled name. */
const lambda = /\$_\d|\{lambda|'lambda/
/** The function that a lambda stands in: what comes before its arguments and the lambda's own name. */
const aroundLambda =
  /((?:[\w:~]|\(anonymous namespace\))+)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?: const)?::(?:\$_\d|\{lambda|'lambda)/

export function holdsLambda(name: string): boolean {
  return lambda.test(name)
}

/** The name without its arguments and its result: "gc_forward", "force::squares<float>". */
function withoutArguments(name: string): string {
  let depth = 0
  for (let index = name.length - 1; index >= 0; index -= 1) {
    if (name[index] === ')') depth += 1
    if (name[index] === '(') depth -= 1
    if (depth !== 0 || name[index] !== '(') continue
    const rest = name.slice(0, index)
    // "(anonymous namespace)" ends a name's first part, not its arguments.
    return rest === '' || rest.endsWith('::') ? name : rest.replace(/^(?:void|int|auto) /, '')
  }
  return name
}

function titleOf(name: string): string {
  const plain = withoutArguments(name).replace(/\(anonymous namespace\)::/g, '')
  if (!holdsLambda(name)) return plain
  const around = (aroundLambda.exec(name)?.[1] ?? '').replace(/\(anonymous namespace\)::/g, '')
  const runs = (plain.split('<')[0] ?? '').replace(/^\w+ (?=\w+::)/, '')
  return around === '' ? plain : `lambda of ${around} in ${runs === '' ? plain : runs}`
}

/** A function with a title that people read. */
export function withTitle(found: Omit<AssemblyFunction, 'title'>): AssemblyFunction {
  return { ...found, title: titleOf(found.name) }
}

/** Functions that a name means: by id or whole name, without arguments, or the last part of that. */
export function namedFunctions(
  functions: readonly AssemblyFunction[],
  name: string,
): AssemblyFunction[] {
  const ways: ((one: AssemblyFunction) => boolean)[] = [
    (one) => one.id === name || one.name === name,
    (one) => one.title === name || withoutArguments(one.name) === name,
    (one) => one.title.replace(/<.*>$/, '').split('::').at(-1) === name,
  ]
  for (const way of ways) {
    const found = functions.filter(way)
    if (found.length > 0) return found
  }
  return []
}
