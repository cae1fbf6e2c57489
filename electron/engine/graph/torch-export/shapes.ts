import { z } from 'zod'

/** The remedy for an archive that does not have these shapes. */
export const exportHint =
  'Save the exported program again with PyTorch 2.2 or newer: torch.export.save(program, "model.pt2").'

/**
 * What is read of a serialized `torch.export.ExportedProgram`; torch/_export/serde/schema.py defines
 * it (schema versions 5 to 8 agree in these fields). Keys that are not named here are left out.
 */
const sizeValue = z.union([
  z.object({ as_expr: z.object({ expr_str: z.string() }) }),
  z.object({ as_int: z.number() }),
])
export type SizeValue = z.infer<typeof sizeValue>

export const tensorMeta = z.object({
  dtype: z.number(),
  sizes: z.array(sizeValue),
  requires_grad: z.boolean().default(false),
  device: z.object({ type: z.string(), index: z.number().nullish() }).optional(),
  strides: z.array(sizeValue).default([]),
  layout: z.number().default(7),
})
export type TensorMeta = z.infer<typeof tensorMeta>

/** A union: an object with one key, "as_tensor" and so on; read in export-arguments.ts. */
const unionValue = z.record(z.string(), z.unknown())

const namedArgument = z.object({ name: z.string().default(''), arg: unionValue })

const exportedNode = z.object({
  target: z.string(),
  inputs: z.array(namedArgument),
  outputs: z.array(unionValue),
  metadata: z.record(z.string(), z.string()).default({}),
})
export type ExportedNode = z.infer<typeof exportedNode>

export const exportedGraph = z.object({
  inputs: z.array(unionValue),
  outputs: z.array(unionValue),
  nodes: z.array(exportedNode),
  tensor_values: z.record(z.string(), tensorMeta).default({}),
  custom_obj_values: z.record(z.string(), z.object({ class_fqn: z.string() })).default({}),
})
export type ExportedGraph = z.infer<typeof exportedGraph>

const signature = z.object({
  input_specs: z.array(unionValue).default([]),
  output_specs: z.array(unionValue).default([]),
})
export type ExportSignature = z.infer<typeof signature>

export const exportedProgram = z.object({
  graph_module: z.object({
    graph: exportedGraph,
    signature: signature.default({ input_specs: [], output_specs: [] }),
  }),
})
export type ExportedProgram = z.infer<typeof exportedProgram>

const namedValue = z.object({ name: z.string() })
export const argumentShapes = {
  named: namedValue,
  optionalTensor: z.object({ as_tensor: namedValue.nullish() }),
  symbol: z.object({ as_name: z.string().nullish() }).and(z.record(z.string(), z.unknown())),
  subgraph: z.object({ name: z.string(), graph: exportedGraph }),
  device: z.object({ type: z.string(), index: z.number().nullish() }),
  customObject: z.object({ name: z.string(), class_fqn: z.string() }),
  dictionary: z.record(z.string(), unionValue),
  complex: z.object({ real: z.number(), imag: z.number() }),
}
