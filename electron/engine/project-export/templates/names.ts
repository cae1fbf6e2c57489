import type { Manifest } from '../../../contract/manifest'
import type { ClassDetail, OperatorDetail } from '../../../contract/operators'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'

const pythonKeywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except ' +
    'finally for from global if import in is lambda nonlocal not or pass raise return try while ' +
    'with yield match case type'
  ).split(' '),
)
/** Modules that everything else here imports: a package of that name would hide them. */
const takenModules = new Set([
  'torch',
  'setuptools',
  'unittest',
  'pathlib',
  'typing',
  'builtins',
  'os',
  'sys',
])

/** A name that Python's grammar and libraries leave free: `lambda` becomes `lambda_`. */
export function pythonName(name: string): string {
  const plain = name.replace(/\W/g, '_')
  return pythonKeywords.has(plain) || /^\d/.test(plain) ? `${plain}_` : plain
}

function refuse(name: string, why: string): Result<never> {
  return err('project.invalid', `"${name}" cannot be the name of a package: ${why}.`, {
    path: 'packageName',
    hint: 'Give the package another name: "packageName" in opsmith.json.',
  })
}

/** The name of the Python package, which is imported and installed by it. PEP 508, and Python's identifiers. */
export function pythonPackage(manifest: Manifest): Result<string> {
  const name = manifest.packageName ?? manifest.name
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name)) {
    return refuse(
      name,
      'pip allows letters, digits, ".", "_" and "-", with a letter or digit at both ends',
    )
  }
  const module = name.replace(/[.-]/g, '_')
  if (/^\d/.test(module))
    return refuse(name, 'Python cannot import a name that begins with a digit')
  if (pythonKeywords.has(module)) return refuse(name, 'it is a keyword of Python')
  if (takenModules.has(module)) return refuse(name, `it would hide the module ${module}`)
  return ok(name)
}

/** The name by which Python imports a package. */
export function moduleName(packageName: string): string {
  return packageName.replace(/[.-]/g, '_')
}

/** The name of the npm package: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
export function npmPackage(manifest: Manifest): Result<string> {
  const name = manifest.packageName ?? manifest.name.toLowerCase()
  if (!/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) {
    return refuse(
      name,
      'npm allows lower-case letters, digits, ".", "_" and "-", but not "." or "_" first',
    )
  }
  return ok(name)
}

export interface NamedOperator {
  operator: OperatorDetail
  /** The function's name: "my_op", "forward_out" for an overload. */
  name: string
}

/** A Python name for each operator; those that would meet another get their namespace. */
export function nameOperators(operators: readonly OperatorDetail[]): NamedOperator[] {
  const short = (one: OperatorDetail): string =>
    [one.name.split('::')[1] ?? one.name, one.overload].filter((part) => part !== '').join('_')
  const count = new Map<string, number>()
  for (const one of operators) count.set(short(one), (count.get(short(one)) ?? 0) + 1)
  return operators.map((operator) => {
    const name = short(operator)
    const whole = `${operator.name.split('::')[0] ?? ''}_${name}`
    return { operator, name: pythonName((count.get(name) ?? 0) > 1 ? whole : name) }
  })
}

/** A Python name for each class, by "namespace.Name"; those that would meet another name get their namespace. */
export function nameClasses(
  classes: readonly ClassDetail[],
  operators: readonly OperatorDetail[],
): Map<string, string> {
  const short = (name: string): string => name.split('.').at(-1) ?? name
  const taken = new Set(nameOperators(operators).map(({ name }) => name))
  return new Map(
    classes.map(({ name }) => {
      const others = classes.filter((one) => one.name !== name)
      const meets = taken.has(short(name)) || others.some((one) => short(one.name) === short(name))
      return [name, pythonName(meets ? name.replaceAll('.', '_') : short(name))]
    }),
  )
}

/** MY_OP, for macros and CMake options. */
export function upperName(name: string): string {
  return name.toUpperCase().replace(/\W/g, '_')
}

/** MyOp, for classes. */
export function className(name: string): string {
  return name
    .split(/[_\W]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}
