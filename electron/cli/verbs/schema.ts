import { manifestJsonSchema } from '../../engine/project/manifest-schema'
import { exitCodes } from '../exit-codes'
import { printJson } from '../print'
import { definePlainVerb } from '../verb'

export const verb = definePlainVerb({
  name: 'schema',
  order: 18,
  description: 'print the JSON Schema of opsmith.json',
  run: () => {
    printJson(manifestJsonSchema())
    return exitCodes.good
  },
})
