import { z } from 'zod'

import { argument, inputSpec } from './manifest'
import { programSource } from './run'
import { dtype, real } from './tensor'

/**
 * A graph as it crosses processes and as `opsmith graph --json` prints it. A hundred thousand nodes
 * travel as JSON text (`graphText.graph`): the op host writes it, and only the reader parses it.
 */

/** The type of a tensor; `null` for an unknown size. */
export const tensorType = z.object({
  dtype: dtype.optional(),
  shape: z.array(z.int().nullable()).optional(),
  strides: z.array(z.int().nullable()).optional(),
  device: z.string().optional(),
  requiresGrad: z.boolean().optional(),
})
export type TensorType = z.infer<typeof tensorType>

export const graphValue = z.object({
  /** Unique within a graph, without the leading %: "z.1". */
  name: z.string(),
  /** As PyTorch prints it: "Float(4, 8, strides=[8, 1])", "int[]", "Tensor". */
  type: z.string(),
  /** Set for tensors. */
  tensor: tensorType.optional(),
  /** What an exported graph's input stands for: "parameter layers.0.weight", "buffer running_mean". */
  origin: z.string().optional(),
})
export type GraphValue = z.infer<typeof graphValue>

/** A place in a source; lines and columns from 1, the end exclusive. */
export const graphPlace = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  endLine: z.int(),
  endColumn: z.int(),
})
export type GraphPlace = z.infer<typeof graphPlace>

/**
 * "value" of prim::Constant, "name" of prim::GetAttr; tensors and objects as PyTorch prints them. Where
 * a constant's values are too many to print, "content" is a digest of them: equal for equal bytes.
 */
export type GraphAttribute = string | number | boolean | null | GraphAttribute[]
const graphAttribute: z.ZodType<GraphAttribute> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(graphAttribute)]),
)

export type GraphNode = {
  /** From 0, in the order of the text, nested nodes included. */
  id: number
  /** "aten::add", "prim::If", "my_ops::warp_perspective"; of an autograd graph "MulBackward0". */
  kind: string
  /** Names of values, in the operator's order. */
  inputs: string[]
  outputs: GraphValue[]
  attributes: Record<string, GraphAttribute>
  /** The overload that the node calls; absent for what is not an operator. */
  schema?: string | undefined
  /** Not libtorch's own: an operator, a class or an autograd function of the loaded library. */
  custom?: boolean | undefined
  source?: GraphPlace | undefined
  /** The modules or inlined functions it came from, outermost first: ["encoder", "layers.0"]. */
  scope?: string[] | undefined
  /** prim::If has "then" and "else", prim::Loop "body"; a fused group "subgraph". */
  blocks?: GraphBlock[] | undefined
  /** Its lines of the text, from 0, the last one included; its blocks' lines too. */
  lines: [number, number]
}
export type GraphBlock = {
  label: string
  inputs: GraphValue[]
  outputs: string[]
  nodes: GraphNode[]
}
const graphNode: z.ZodType<GraphNode> = z.lazy(() =>
  z.object({
    id: z.int(),
    kind: z.string(),
    inputs: z.array(z.string()),
    outputs: z.array(graphValue),
    attributes: z.record(z.string(), graphAttribute),
    schema: z.string().optional(),
    custom: z.boolean().optional(),
    source: graphPlace.optional(),
    scope: z.array(z.string()).optional(),
    blocks: z
      .array(
        z.object({
          label: z.string(),
          inputs: z.array(graphValue),
          outputs: z.array(z.string()),
          nodes: z.array(graphNode),
        }),
      )
      .optional(),
    lines: z.tuple([z.int(), z.int()]),
  }),
)

/**
 * script: what the TorchScript compiler produced. trace: what the tracer recorded. autograd: grad_fn
 * nodes from the outputs to the leaves. executed: what the profiling executor ran, fused and
 * specialised. export: a torch.export archive's.
 */
export const graphForm = z.enum(['script', 'trace', 'autograd', 'executed', 'export'])
export type GraphForm = z.infer<typeof graphForm>

export const graph = z.object({
  /** The function, operator or method: "compute". */
  name: z.string(),
  form: graphForm,
  inputs: z.array(graphValue),
  outputs: z.array(z.string()),
  nodes: z.array(graphNode),
})
export type Graph = z.infer<typeof graph>

/** torch._C._jit_pass_…; see native/runtime/graph/passes.h for what each runs. */
export const graphPass = z.enum([
  'inline',
  'constant_propagation',
  'common_subexpressions',
  'dead_code',
  'peephole',
  'freeze',
  'canonicalize',
  /** Changes nothing: adds the attributes "may_alias" and "writes_to" to nodes. */
  'alias_analysis',
])
export type GraphPass = z.infer<typeof graphPass>

export const captureRequest = z.object({
  /** A function or method ("Counter.add") of the program, an operator, or with `file` a method of the archive. */
  entry: z.string().min(1),
  form: graphForm,
  /** What to call it with; only a script graph needs none. */
  args: z.array(argument).default([]),
  inputs: z.record(z.string(), inputSpec).default({}),
  /** One after the other; each step's graph is kept. */
  passes: z.array(graphPass).default([]),
  /** Other arguments on which a trace must agree with the eager result: the project's other calls of it. */
  checks: z.array(z.array(argument)).default([]),
  program: programSource.optional(),
  /** A TorchScript archive, by its absolute path. */
  file: z.string().optional(),
})
export type CaptureRequest = z.infer<typeof captureRequest>

export const graphWarning = z.object({
  kind: z.enum([
    'control-flow-lost', // a branch or loop on data: the trace kept one way through it
    'value-baked', // a number read from a tensor became a constant of the trace
    'tracer', // libtorch's own words
    'not-reproduced', // the trace gives another result than the function
  ]),
  message: z.string(),
  source: graphPlace.optional(),
})
export type GraphWarning = z.infer<typeof graphWarning>

/** The trace compared with the eager function, on inputs other than the traced ones. */
export const traceCheck = z.object({
  /** "inputs with other seeds", "compute(marked, y)" */
  inputs: z.string(),
  matches: z.boolean(),
  /** Largest absolute difference; null when the outputs cannot be compared. */
  maxAbsolute: real.nullable(),
  message: z.string(),
})
export type TraceCheck = z.infer<typeof traceCheck>

export const captureReport = z.object({
  /** The op host's number for it, for graph.read. */
  capture: z.int(),
  entry: z.string(),
  form: graphForm,
  /** Wall time of capturing, without the passes. */
  seconds: z.number(),
  /** The graph as captured ("captured"), then one step a pass. */
  steps: z.array(
    z.object({
      name: z.string(),
      nodes: z.int(),
      seconds: z.number(),
      /** A pass that had nothing to do here says why. */
      note: z.string().optional(),
    }),
  ),
  warnings: z.array(graphWarning),
  checks: z.array(traceCheck),
})
export type CaptureReport = z.infer<typeof captureReport>

export const graphText = z.object({
  /** A `graph`, as JSON. */
  graph: z.string(),
  /** As PyTorch prints it; nodes name their lines. */
  text: z.string(),
})
export type GraphText = z.infer<typeof graphText>

/** An output tensor of a node when the graph ran; in a loop, of the last iteration. */
export const observedValue = z.object({
  name: z.string(),
  dtype: dtype,
  shape: z.array(z.int()),
  device: z.string(),
  nan: z.int(),
  inf: z.int(),
  min: real.nullable(),
  max: real.nullable(),
  mean: real.nullable(),
})
export type ObservedValue = z.infer<typeof observedValue>

/** The result of one run of the graph, node by node and unfused; ids are those of the step's graph. */
export const graphObservation = z.object({
  /** Median of the runs, all nodes. */
  seconds: z.number(),
  runs: z.int(),
  nodes: z.array(
    z.object({
      id: z.int(),
      /** Times it ran in one run: 0 in the branch not taken, many in a loop. */
      calls: z.int(),
      /** All calls of one run together, median of the runs; nested nodes included. */
      seconds: z.number(),
      /** Bytes of the new storages its outputs hold; 0 for views. */
      bytes: z.int(),
      values: z.array(observedValue),
    }),
  ),
})
export type GraphObservation = z.infer<typeof graphObservation>

/** A saved model: what it holds, and what it needs that is not loaded. */
export const graphArchive = z.object({
  path: z.string(),
  /** torchscript: .pt; export: a torch.export archive, .pt2; graph: a graph that Opsmith saved as JSON. */
  kind: z.enum(['torchscript', 'export', 'graph']),
  /** Methods by their path ("forward", "layers.0.forward"); "forward" first. */
  entries: z.array(z.object({ name: z.string(), schema: z.string() })),
  /** Operators and classes that it uses, but that are not registered: "my_ops::warp_perspective". */
  missing: z.array(z.string()),
})
export type GraphArchive = z.infer<typeof graphArchive>
