import { collectFiles } from '../engine/collect-files'
import type { Verb } from './verb'

/** Verbs by their files, which the bundler finds: verbs/NAME.ts or verbs/NAME/index.ts. */
const files = import.meta.glob<Verb>(['./verbs/*.ts', './verbs/*/index.ts'], {
  eager: true,
  import: 'verb',
})

/** All verbs, in the order of --help. */
export const verbs: readonly Verb[] = collectFiles(files, {
  example: 'export const verb = defineVerb({ … })',
  nameOf: ({ name }) => name,
  orderOf: ({ order }) => order,
})
