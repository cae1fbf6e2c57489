import type {
  Graph,
  GraphAttribute,
  GraphBlock,
  GraphNode,
  GraphValue,
} from '../../../contract/graph'
import { fail } from '../../../contract/outcome'
import { readArgument } from './arguments'
import type { ArgumentReading, ConstantValue } from './arguments'
import { scopeOf, sourceOf } from './metadata'
import type { ExportedGraph, ExportedNode, ExportedProgram } from './shapes'
import { inputOrigins } from './signature'
import { tensorTypeOf, tensorTypeText } from './values'

/** Operators by "namespace::name.overload", "" for the default overload: "aten::relu.". */
export interface KnownOperators {
  schemas: ReadonlyMap<string, string>
  /** Those of the loaded library. */
  custom: ReadonlySet<string>
  /** Classes of the loaded library: "running.RunningStatistics". */
  classes: ReadonlySet<string>
}

/** Namespaces of classes that libtorch itself registers. */
const ownClasses = new Set([
  'quantized',
  'sparse',
  'rnn',
  'xnnpack',
  'mkldnn',
  'mkl',
  'metal',
  'vulkan',
  '_nnapi',
  'cuda',
  'dist_c10d',
  'dist_rpc',
  'profiling',
  'tensorexpr',
  'aoti',
  'export',
])

/** Subgraphs in subgraphs beyond this are no program's. */
const deepest = 200

/** What the subgraphs of higher-order operators are, in the order they are given. */
const blockLabels: Record<string, readonly string[]> = {
  'higher_order::cond': ['true', 'false'],
  'higher_order::while_loop': ['cond', 'body'],
  'higher_order::scan': ['combine'],
  'higher_order::associative_scan': ['combine'],
  'higher_order::map_impl': ['body'],
}

/**
 * "torch.ops.aten.add.Tensor" is overload Tensor of aten::add; "_operator.mul" and "math.trunc" are
 * Python's, on symbolic sizes, and no operator of the dispatcher.
 */
export function operatorOfTarget(target: string): { kind: string; key: string | undefined } {
  const found = /^torch\.ops\.(.+)\.([^.]+)\.([^.]+)$/.exec(target)
  const [, namespace = '', name = '', overload = ''] = found ?? []
  if (found && !target.startsWith('torch.ops.higher_order.')) {
    const kind = `${namespace}::${name}`
    return { kind, key: `${kind}.${overload === 'default' ? '' : overload}` }
  }
  const plain = target.replace(/^torch\.ops\./, '')
  const dot = plain.lastIndexOf('.')
  return {
    kind: dot < 0 ? plain : `${plain.slice(0, dot)}::${plain.slice(dot + 1)}`,
    key: undefined,
  }
}

/** Names of one (sub)graph, as they are in the archive, to names that are unique in the whole graph. */
class Names {
  private readonly taken: Set<string>
  private readonly known = new Map<string, string>()

  constructor(private readonly around?: Names) {
    this.taken = around?.taken ?? new Set()
  }

  declare(name: string): string {
    let unique = name
    for (let count = 1; this.taken.has(unique); count += 1) unique = `${name}.${count}`
    this.taken.add(unique)
    this.known.set(name, unique)
    return unique
  }

  use(name: string): string {
    return this.known.get(name) ?? this.around?.use(name) ?? name
  }
}

/** Where a node or a block is: in which graph, with which names in reach, how deep. */
interface Surroundings {
  graph: ExportedGraph
  names: Names
  depth: number
}

class Converter {
  /** Operators and classes that nothing has registered. */
  readonly missing = new Set<string>()
  private readonly kinds: ReadonlySet<string>

  constructor(private readonly operators: KnownOperators) {
    this.kinds = new Set(
      [...operators.schemas.keys()].map((key) => key.slice(0, key.lastIndexOf('.'))),
    )
  }

  /** The missing overload by its name where others of the operator are there. */
  private noteOperator(kind: string, key: string): void {
    if (!this.operators.schemas.has(key)) this.missing.add(this.kinds.has(kind) ? key : kind)
  }

  private noteClass(type: string): void {
    const [, namespace = '', name = ''] =
      /^__torch__\.torch\.classes\.(\w+)\.(\w+)$/.exec(type) ?? []
    const known = this.operators.classes.has(`${namespace}.${name}`) || ownClasses.has(namespace)
    if (name !== '' && !known) this.missing.add(`${namespace}.${name}`)
  }

  private value(
    name: string,
    type: string | undefined,
    graph: ExportedGraph,
    names: Names,
  ): GraphValue {
    const meta = graph.tensor_values[name]
    const unique = names.declare(name)
    if (meta) return { name: unique, type: tensorTypeText(meta), tensor: tensorTypeOf(meta) }
    const named = type ?? graph.custom_obj_values[name]?.class_fqn ?? 'Tensor'
    this.noteClass(named)
    return { name: unique, type: named }
  }

  /** Outputs of a node or inputs of a graph; constants have no value to be named by. */
  private declared(
    given: readonly Record<string, unknown>[],
    where: string,
    graph: ExportedGraph,
    names: Names,
  ): GraphValue[] {
    return given.flatMap((argument, index) =>
      readArgument(argument, `${where}[${index}]`).values.map((value) =>
        this.value(value.name, value.type, graph, names),
      ),
    )
  }

  private node(
    node: ExportedNode,
    where: string,
    { graph, names, depth }: Surroundings,
  ): GraphNode {
    const { kind, key } = operatorOfTarget(node.target)
    const inputs: string[] = []
    const attributes: Record<string, GraphAttribute> = {}
    const blocks: GraphBlock[] = []
    const take = (name: string, read: ArgumentReading): void => {
      inputs.push(...read.values.map((value) => names.use(value.name)))
      if (read.constant) attributes[name] = constantText(read.constant.value, names)
      if (read.subgraph) {
        const label = blockLabels[kind]?.[blocks.length] ?? read.subgraph.name
        blocks.push(
          this.block(label, `${where}.${read.subgraph.name}`, {
            graph: read.subgraph.graph,
            names,
            depth: depth + 1,
          }),
        )
      }
      for (const [inner, reading] of Object.entries(read.named)) take(`${name}.${inner}`, reading)
    }
    for (const [index, input] of node.inputs.entries()) {
      const name = input.name === '' ? `arg${index}` : input.name
      take(name, readArgument(input.arg, `${where}.inputs[${index}].arg`))
    }
    const outputs = this.declared(node.outputs, `${where}.outputs`, graph, names)
    const source = sourceOf(node.metadata['stack_trace'] ?? '')
    const scope = scopeOf(node.metadata['nn_module_stack'] ?? '')
    if (key !== undefined) this.noteOperator(kind, key)
    const schema = key === undefined ? undefined : this.operators.schemas.get(key)
    const custom = key !== undefined && (schema === undefined || this.operators.custom.has(key))
    return {
      id: 0,
      kind,
      inputs,
      outputs,
      attributes,
      ...(schema === undefined ? {} : { schema }),
      ...(custom ? { custom } : {}),
      ...(source ? { source } : {}),
      ...(scope.length > 0 ? { scope } : {}),
      ...(blocks.length > 0 ? { blocks } : {}),
      lines: [0, 0],
    }
  }

  /** Nodes and results; a result that is a constant comes from a prim::Constant at the end, as in TorchScript. */
  body(
    graph: ExportedGraph,
    where: string,
    names: Names,
    depth: number,
  ): { nodes: GraphNode[]; outputs: string[] } {
    if (depth > deepest) {
      return fail(
        'input.invalid',
        `Opsmith cannot read ${where}: the subgraphs are nested too deeply.`,
        {
          hint: 'Export only a part of the model, whose subgraphs are nested less deeply.',
        },
      )
    }
    const nodes = graph.nodes.map((node, index) =>
      this.node(node, `${where}.nodes[${index}]`, { graph, names, depth }),
    )
    const outputs = graph.outputs.flatMap((output, index) => {
      const read = readArgument(output, `${where}.outputs[${index}]`)
      if (!read.constant) return read.values.map((value) => names.use(value.name))
      const name = names.declare('constant')
      nodes.push({
        id: 0,
        kind: 'prim::Constant',
        inputs: [],
        outputs: [{ name, type: read.constant.type }],
        attributes: { value: constantText(read.constant.value, names) },
        lines: [0, 0],
      })
      return [name]
    })
    return { nodes, outputs }
  }

  private block(
    label: string,
    where: string,
    { graph, names: outer, depth }: Surroundings,
  ): GraphBlock {
    const names = new Names(outer)
    const inputs = this.declared(graph.inputs, `${where}.inputs`, graph, names)
    return { label, inputs, ...this.body(graph, where, names, depth) }
  }

  inputs(program: ExportedProgram, names: Names): GraphValue[] {
    const { graph, signature } = program.graph_module
    const origins = inputOrigins(signature)
    return this.declared(graph.inputs, 'graph_module.graph.inputs', graph, names).map((value) => {
      const origin = origins.get(value.name)
      return origin === undefined ? value : { ...value, origin }
    })
  }
}

function constantText(value: ConstantValue, names: Names): GraphAttribute {
  if (Array.isArray(value)) return value.map((item) => constantText(item, names))
  return typeof value === 'object' && value !== null ? `%${names.use(value.use)}` : value
}

/**
 * The graph of an exported program, and the operators and classes in it that nothing has registered.
 * Ids and lines are given by printGraph. Arguments that are no values become attributes by their
 * names in the schema; where values and constants stand together in a list, both are said: the value
 * is an input, and the attribute shows its place ("size": ["%n", -1]).
 */
export function convertProgram(
  program: ExportedProgram,
  name: string,
  operators: KnownOperators,
): { graph: Graph; missing: string[] } {
  const converter = new Converter(operators)
  const names = new Names()
  const inputs = converter.inputs(program, names)
  const body = converter.body(program.graph_module.graph, 'graph_module.graph', names, 0)
  return { graph: { name, form: 'export', inputs, ...body }, missing: [...converter.missing] }
}
