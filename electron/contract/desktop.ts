import { z } from 'zod'

/** Kinds of files that a dialog offers; extensions without a dot. */
const fileFilter = z.object({ name: z.string(), extensions: z.array(z.string()) })
export type FileFilter = z.infer<typeof fileFilter>

/** A dialog that asks for one file or folder that is there. */
export const openQuestion = z.object({
  title: z.string(),
  buttonLabel: z.string().exactOptional(),
  defaultPath: z.string().exactOptional(),
  filters: z.array(fileFilter).exactOptional(),
  properties: z.array(z.enum(['openFile', 'openDirectory', 'createDirectory'])),
})
export type OpenQuestion = z.infer<typeof openQuestion>

/** A dialog that asks where to write a file. */
export const saveQuestion = z.object({
  title: z.string(),
  defaultPath: z.string(),
  filters: z.array(fileFilter),
})
export type SaveQuestion = z.infer<typeof saveQuestion>

/** A message with buttons. */
export const question = z.object({
  type: z.enum(['question', 'warning', 'error']),
  message: z.string(),
  detail: z.string(),
  buttons: z.array(z.string()),
  /** The place of the button that Enter presses, and of the one that Escape presses. */
  defaultId: z.int(),
  cancelId: z.int(),
})
export type Question = z.infer<typeof question>
