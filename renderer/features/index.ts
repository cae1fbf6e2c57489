import type { Feature } from '../store/feature'

/** Every folder here with an index.ts that exports `feature`: to add a feature is to add a folder. */
const found = import.meta.glob<Feature>('./*/index.ts', { eager: true, import: 'feature' })

export const features: readonly Feature[] = Object.values(found)
