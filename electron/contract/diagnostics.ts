import { z } from 'zod'

export const severity = z.enum(['error', 'warning', 'note'])

const place = z.object({
  severity,
  /** Absolute path; "" when the message belongs to no file. */
  file: z.string(),
  /** 1-based; 0 when the message belongs to no line. */
  line: z.int(),
  /** 1-based; 0 when unknown. */
  column: z.int(),
  message: z.string(),
})

/** Replaces what lies between two places of a file; empty where they are equal: an insertion. */
export const textEdit = z.object({
  /** Absolute path. */
  file: z.string(),
  /** 1-based; the end is the first place that stays. */
  line: z.int(),
  column: z.int(),
  endLine: z.int(),
  endColumn: z.int(),
  text: z.string(),
  /** What it replaces; if the file has another text there, the fix no longer applies. */
  before: z.string().optional(),
})
export type TextEdit = z.infer<typeof textEdit>

/** A fix, offered as a quick fix. */
export const fix = z.object({
  /** What it does, "Change float to double". */
  title: z.string(),
  edits: z.array(textEdit).min(1),
})
export type Fix = z.infer<typeof fix>

/** One message of a compiler, linker or of our own, with the notes that explain it. */
export const diagnostic = place.extend({
  /** The tool that reports it: "clang", "g++", "nvcc", "lld", "clangd", "lint", "torchscript", "opsmith". */
  source: z.string(),
  /** Warning flag or error code, "-Wunused-variable"; "" when there is none. */
  code: z.string(),
  notes: z.array(place),
  /** The end, 1-based and exclusive; absent if only the beginning is known. */
  endLine: z.int().optional(),
  endColumn: z.int().optional(),
  fixes: z.array(fix).optional(),
  /** Why it is wrong and what to do, as Markdown: the documentation of a lint, the meaning of a compiler's message. */
  explanation: z.string().optional(),
  /** The compiler's own text, if `message` is our shorter one. */
  raw: z.string().optional(),
})
export type Diagnostic = z.infer<typeof diagnostic>
export type DiagnosticNote = z.infer<typeof place>
