import { z } from 'zod'

/**
 * The name of a form that a project can be exported as. The engine declares the forms
 * (`engine/project-export/forms`) and refuses other names.
 */
export const exportForm = z.string().min(1)
export type ExportForm = z.infer<typeof exportForm>
