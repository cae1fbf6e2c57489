import { z } from 'zod'

/** `machine`: the processor's instructions in the library that is loaded; `ptx` and `sass` of CUDA kernels. */
export const assemblyForm = z.enum(['machine', 'ptx', 'sass'])
export type AssemblyForm = z.infer<typeof assemblyForm>

export const assemblyFunction = z.object({
  /** Its address in the library, or the mangled name of a kernel: several functions may have one name. */
  id: z.string(),
  /** Demangled, with its arguments. */
  name: z.string(),
  /** For lists: without arguments; of a lambda, the function that it stands in and what runs it. */
  title: z.string(),
  /** Where its code begins, an absolute path; "" when the compiler did not say. */
  file: z.string(),
  line: z.number().int(),
  /** Bytes of its code; 0 when unknown, as in PTX. */
  size: z.number().int(),
})
export type AssemblyFunction = z.infer<typeof assemblyFunction>

export const assemblyRow = z.object({
  kind: z.enum(['instruction', 'label', 'directive', 'comment']),
  /** Hexadecimal, without 0x; "" where there is none. */
  address: z.string(),
  /** Demangled; jumps name labels. */
  text: z.string(),
  /** The project's line it belongs to; "" and 0 where it belongs to none. */
  file: z.string(),
  line: z.number().int(),
  /** What of another file was inlined there: "at::Tensor::size, TensorBase.h:188"; "" for the line's own code. */
  inlined: z.string(),
  /** The row of the label that it jumps to; -1 for none. */
  target: z.number().int(),
})
export type AssemblyRow = z.infer<typeof assemblyRow>

export const assemblyReport = z.object({
  form: assemblyForm,
  function: assemblyFunction,
  rows: z.array(assemblyRow),
  /** Instructions by sort, the first entry all of them; of SASS also what a kernel takes of the device. */
  mix: z.array(z.object({ what: z.string(), count: z.number().int() })),
  /** "x86-64", "sm_90". */
  architecture: z.string(),
  /** The programs that were asked. */
  tool: z.string(),
})
export type AssemblyReport = z.infer<typeof assemblyReport>

/** Which function is wanted: by its id or name (with or without arguments or namespaces), or by a line that it has code of. */
export const assemblyChoice = z.object({
  form: assemblyForm,
  /** "" chooses by the line. */
  name: z.string(),
  /** Absolute, or relative to the project; "" with a name. */
  file: z.string(),
  line: z.number().int().nonnegative(),
})
export type AssemblyChoice = z.infer<typeof assemblyChoice>

export const assemblyListing = z.object({
  /** Of the project's own sources, in their order. */
  functions: z.array(assemblyFunction),
  /** Forms that this project and machine have, each with why not; "" where it has. */
  forms: z.array(z.object({ form: assemblyForm, whyNot: z.string() })),
})
export type AssemblyListing = z.infer<typeof assemblyListing>
