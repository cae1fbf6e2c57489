import type {
  Graph,
  GraphAttribute,
  GraphBlock,
  GraphNode,
  GraphText,
  GraphValue,
} from '../../contract/graph'

/**
 * The text of graphs that libtorch does not print for us (torch.export archives, graphs saved as
 * JSON), in the form of libtorch's own `Graph::toString`, so that all graphs read alike:
 *
 *     graph(%x : Float(4, 8, strides=[8, 1], requires_grad=0, device=cpu)):
 *       %y : Tensor = aten::add[other=2, alpha=1](%x) # model.py:12
 *       return (%y)
 *
 * What an argument other than a value was given stands in the brackets by the argument's name. A
 * comment behind an input says what it is, one behind a block which branch or body.
 */
class GraphPrinter {
  readonly lines: string[] = []
  private nextId = 0

  private value(value: GraphValue): string {
    return `%${value.name} : ${value.type}`
  }

  private header(start: string, indent: string, values: readonly GraphValue[], note: string): void {
    if (values.length === 0) {
      this.lines.push(`${indent}${start}():${note}`)
      return
    }
    const further = indent + ' '.repeat(start.length + 1)
    for (const [index, value] of values.entries()) {
      const last = index === values.length - 1
      const comment = value.origin === undefined ? '' : ` # ${value.origin}`
      this.lines.push(
        `${index === 0 ? `${indent}${start}(` : further}${this.value(value)}${last ? '):' : ','}${comment}${last ? note : ''}`,
      )
    }
  }

  private node(node: GraphNode, indent: string): GraphNode {
    const id = this.nextId
    this.nextId += 1
    const first = this.lines.length
    const outputs = node.outputs.map((output) => this.value(output)).join(', ')
    const attributes = Object.entries(node.attributes)
    const brackets =
      attributes.length === 0
        ? ''
        : `[${attributes.map(([name, value]) => `${name}=${attributeText(value)}`).join(', ')}]`
    const inputs = node.inputs.map((name) => `%${name}`).join(', ')
    const place = node.source === undefined ? '' : ` # ${node.source.file}:${node.source.line}`
    this.lines.push(
      `${indent}${outputs === '' ? '' : `${outputs} = `}${node.kind}${brackets}(${inputs})${place}`,
    )
    const blocks = node.blocks?.map((block, index) => this.block(block, index, `${indent}  `))
    return {
      ...node,
      id,
      ...(blocks ? { blocks } : {}),
      lines: [first, this.lines.length - 1],
    }
  }

  private block(block: GraphBlock, index: number, indent: string): GraphBlock {
    const note = block.label === '' ? '' : ` # ${block.label}`
    this.header(`block${index}`, indent, block.inputs, note)
    const nodes = block.nodes.map((node) => this.node(node, `${indent}  `))
    this.lines.push(`${indent}  -> (${block.outputs.map((name) => `%${name}`).join(', ')})`)
    return { ...block, nodes }
  }

  graph(graph: Graph): Graph {
    this.header('graph', '', graph.inputs, '')
    const nodes = graph.nodes.map((node) => this.node(node, '  '))
    this.lines.push(`  return (${graph.outputs.map((name) => `%${name}`).join(', ')})`)
    return { ...graph, nodes }
  }
}

function attributeText(value: GraphAttribute): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  // A value that stands among constants: size=[%n, -1].
  if (typeof value === 'string') return /^%[\w.]+$/.test(value) ? value : JSON.stringify(value)
  return Array.isArray(value) ? `[${value.map(attributeText).join(', ')}]` : String(value)
}

/** Prints a graph; its nodes come back numbered in the order of the text and naming their lines. */
export function printGraph(graph: Graph): { graph: Graph; text: string } {
  const printer = new GraphPrinter()
  const numbered = printer.graph(graph)
  return { graph: numbered, text: `${printer.lines.join('\n')}\n` }
}

export function graphTextOf(graph: Graph): GraphText {
  const printed = printGraph(graph)
  return { graph: JSON.stringify(printed.graph), text: printed.text }
}
