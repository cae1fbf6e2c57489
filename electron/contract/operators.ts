import { z } from 'zod'

export const operatorArgument = z.object({
  name: z.string(),
  type: z.string(),
  /** As TorchScript prints it; absent when the argument has no default. */
  default: z.string().optional(),
  kwargOnly: z.boolean(),
  /** "a", or "a!" when written to; absent when it does not alias. */
  alias: z.string().optional(),
})
export type OperatorArgument = z.infer<typeof operatorArgument>

/** A kernel registered for an overload; file and line as the registration macro recorded them. */
export const registeredKernel = z.object({
  dispatchKey: z.string(),
  file: z.string(),
  line: z.int(),
})
export type RegisteredKernel = z.infer<typeof registeredKernel>

export const operatorSummary = z.object({
  name: z.string(), // "aten::add"
  overload: z.string(), // "Tensor", "" for the default one
  schema: z.string(),
})
export type OperatorSummary = z.infer<typeof operatorSummary>

export const operatorDetail = operatorSummary.extend({
  arguments: z.array(operatorArgument),
  returns: z.array(operatorArgument),
  doc: z.string(),
  kernels: z.array(registeredKernel),
})
export type OperatorDetail = z.infer<typeof operatorDetail>

export const classDetail = z.object({
  /** "namespace.Name", as in torch.classes.namespace.Name */
  name: z.string(),
  methods: z.array(z.object({ name: z.string(), schema: z.string() })),
})
export type ClassDetail = z.infer<typeof classDetail>

/** What loading a library put into the dispatcher. */
export const loadReport = z.object({
  operators: z.array(operatorDetail),
  classes: z.array(classDetail),
  seconds: z.number(),
})
export type LoadReport = z.infer<typeof loadReport>
