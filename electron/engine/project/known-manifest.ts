import { z } from 'zod'

import { manifest } from '../../contract/manifest'
import { formIds, lintCodes } from './all-manifest-names'

const unknownName = (what: string, name: unknown, known: readonly string[]): string =>
  `there is no ${what} ${JSON.stringify(name)}; choose from ${known.join(', ')}`

const formName = z.enum(formIds, {
  error: ({ input }) => unknownName('export form', input, formIds),
})

const lintSwitches = z
  .partialRecord(z.string(), z.boolean())
  .superRefine((switches, context) => {
    for (const code of Object.keys(switches)) {
      if (lintCodes.includes(code)) continue
      const message = unknownName('lint', code, lintCodes)
      context.addIssue({ code: 'custom', path: [code], message })
    }
  })
  // For the JSON Schema, which knows nothing of the check above.
  .meta({ propertyNames: { type: 'string', enum: lintCodes } })

/** opsmith.json as the contract has it, with the names of the export forms and lints that there are. */
export const knownManifest = manifest.extend({
  exports: z.array(formName).default([]),
  lints: lintSwitches.default({}),
})
