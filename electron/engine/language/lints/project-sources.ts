import type { AutogradEntry } from '../../../contract/manifest'
import { functionsOf } from '../syntax/functions'
import type { CppFunction } from '../syntax/functions'
import { libraryBlocks, registrationsOf } from '../syntax/registrations'
import type { LibraryBlock, Registration } from '../syntax/registrations'
import type { SourceFile } from '../syntax/source-file'
import { childOf, findAll } from '../syntax/syntax-tree'

/** A function that tensors reach from outside: nothing is known of them but what it checks itself. */
export interface OperatorFunction {
  /** As users call it: "my_ops::add". */
  operator: string
  function: CppFunction
  /** What makes it one; undefined for `functions` of opsmith.json and for autograd functions. */
  registration: Registration | undefined
  /** The operator's schema, from its definition wherever in the project that is. */
  schema: Registration | undefined
}

/** An entry of `autograd` in opsmith.json, and where it stands. */
export interface PlacedEntry extends AutogradEntry {
  file: string
  line: number
}

const headers = /\.(h|hpp|hxx|hh|cuh|inl|ipp)$/

function macrosOf(source: SourceFile): [name: string, text: string][] {
  return findAll(source.root, 'preproc_function_def').map((node) => [
    source.textOf(childOf(node, 'name')),
    source.textOf(node),
  ])
}

/** Names of classes derived from torch::autograd::Function. */
function autogradClasses(source: SourceFile): string[] {
  return findAll(source.root, 'class_specifier', 'struct_specifier')
    .filter((node) => {
      const bases = node.children.find((child) => child.type === 'base_class_clause')
      return bases !== undefined && /\bFunction\s*</.test(source.textOf(bases))
    })
    .map((node) => source.textOf(childOf(node, 'name')))
}

/** All sources of a project, and what they are to each other. */
export class LintedSources {
  readonly functions: CppFunction[]
  readonly registrations: Registration[]
  readonly blocks: LibraryBlock[]
  readonly operators: OperatorFunction[]
  /** Texts of function-like macros, by name. */
  readonly macros = new Map<string, string>()

  /**
   * @param exposed `functions` of opsmith.json
   * @param entries `autograd` of opsmith.json
   */
  constructor(
    readonly files: readonly SourceFile[],
    exposed: readonly string[],
    readonly entries: readonly PlacedEntry[] = [],
  ) {
    this.functions = files.flatMap((source) => source.once(functionsOf))
    // A block in a header is compiled wherever it is included; that it exists once is all one knows.
    this.registrations = files.flatMap((source) => source.once(registrationsOf))
    this.blocks = files.flatMap((source) => source.once(libraryBlocks))
    for (const source of files) {
      for (const [name, text] of source.once(macrosOf)) this.macros.set(name, text)
    }
    this.operators = this.findOperators(exposed)
  }

  isHeader(source: SourceFile): boolean {
    return headers.test(source.file)
  }

  /** The one definition that a name means; undefined when there is none, or several. */
  definition(name: string, near?: SourceFile): CppFunction | undefined {
    const fitting = this.functions.filter(
      (one) => one.body && (one.name === name || one.name.endsWith(`::${name}`)),
    )
    if (fitting.length <= 1) return fitting[0]
    const here = fitting.filter((one) => one.source === near)
    return here.length === 1 ? here[0] : undefined
  }

  /** A function's declarations elsewhere: the same name and as many parameters. */
  declarations(definition: CppFunction): CppFunction[] {
    return this.functions.filter(
      (one) =>
        !one.body &&
        one.name === definition.name &&
        one.parameters.length === definition.parameters.length,
    )
  }

  private findOperators(exposed: readonly string[]): OperatorFunction[] {
    const found: OperatorFunction[] = []
    for (const registration of this.registrations) {
      const { source, functionName, lambda, namespace, name } = registration
      const definition =
        lambda ?? (functionName === undefined ? undefined : this.definition(functionName, source))
      if (!definition) continue
      const schema =
        registration.schema !== undefined
          ? registration
          : this.registrations.find(
              (one) => one.schema !== undefined && one.namespace === namespace && one.name === name,
            )
      const module = registration.block === 'pybind' ? '' : `${namespace}::`
      found.push({ operator: module + name, function: definition, registration, schema })
    }
    for (const name of exposed) {
      const definition = this.definition(name)
      if (!definition) continue
      found.push({
        operator: name,
        function: definition,
        registration: undefined,
        schema: undefined,
      })
    }
    for (const one of this.autogradFunctions()) {
      const { forward, name } = one
      if (!forward) continue
      found.push({
        operator: `${name}::apply`,
        function: forward,
        registration: undefined,
        schema: undefined,
      })
    }
    return found
  }

  /** Classes derived from torch::autograd::Function. */
  autogradFunctions(): {
    name: string
    forward: CppFunction | undefined
    backward: CppFunction | undefined
  }[] {
    return this.files.flatMap((source) =>
      source.once(autogradClasses).map((name) => {
        const method = (word: string): CppFunction | undefined => {
          const all = this.functions.filter((one) => one.name.endsWith(`${name}::${word}`))
          return all.find((one) => one.body) ?? all[0]
        }
        return { name, forward: method('forward'), backward: method('backward') }
      }),
    )
  }

  /** Each function once, though it be registered for several keys. */
  operatorFunctions(): OperatorFunction[] {
    const seen = new Set<unknown>()
    return this.operators.filter((one) => {
      if (seen.has(one.function.node)) return false
      seen.add(one.function.node)
      return true
    })
  }
}
