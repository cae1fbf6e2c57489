import { z } from 'zod'

export const severity = z.enum(['error', 'warning', 'note'])

const place = z.object({
  severity,
  /** Absolute path; "" when the message belongs to no file. */
  file: z.string(),
  /** 1-based; 0 when the message belongs to no line. */
  line: z.number().int(),
  /** 1-based; 0 when unknown. */
  column: z.number().int(),
  message: z.string(),
})

/** One message of a compiler, linker or of our own, with the notes that explain it. */
export const diagnostic = place.extend({
  /** Who says so: "clang", "g++", "nvcc", "lld", "opsmith". */
  source: z.string(),
  /** Warning flag or error code, "-Wunused-variable"; "" when there is none. */
  code: z.string(),
  notes: z.array(place),
})
export type Diagnostic = z.infer<typeof diagnostic>
export type DiagnosticNote = z.infer<typeof place>
