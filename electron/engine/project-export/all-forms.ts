import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { collectFiles } from '../collect-files'
import type { Form } from './form'

/** Export forms by their files, which the bundler finds: forms/ID.ts. */
const files = import.meta.glob<Form>('./forms/*.ts', { eager: true, import: 'form' })

/** All export forms, in the order in which they are listed. */
export const forms: readonly Form[] = collectFiles(files, {
  example: 'export const form: Form = { … }',
  nameOf: ({ id }) => id,
  orderOf: ({ order }) => order,
})

export const formIds: readonly string[] = forms.map(({ id }) => id)

/** The forms of these names, each once; an error lists the names that there are. */
export function formsNamed(ids: readonly string[]): Result<Form[]> {
  const named = new Set<Form>()
  for (const id of ids) {
    const form = forms.find((one) => one.id === id)
    if (!form) {
      return err('request.invalid', `There is no export form "${id}".`, {
        hint: `Forms: ${formIds.join(', ')}.`,
      })
    }
    named.add(form)
  }
  return ok([...named])
}
