import { z } from 'zod'

import { manifest } from '../../contract/manifest'
import { formIds } from '../export/all-forms'
import { lintCodes } from '../language/lints/all-lints'

/** A name that this Opsmith knows; the error lists them all. */
function nameFrom(what: string, names: readonly string[]): z.ZodEnum<Record<string, string>> {
  return z.enum(names, {
    error: ({ input }) =>
      `there is no ${what} ${JSON.stringify(input)}; there are ${names.join(', ')}`,
  })
}

/** opsmith.json as the contract has it, with the names of export forms and lints that there are. */
export const knownManifest = manifest.extend({
  exports: z.array(nameFrom('export form', formIds)).default([]),
  lints: z.partialRecord(nameFrom('lint', lintCodes), z.boolean()).default({}),
})
