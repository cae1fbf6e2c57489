import { Verb } from './verb'

/** Verbs by their files, which the bundler finds: verbs/NAME.ts or verbs/NAME/index.ts. */
const found = import.meta.glob<unknown>(['./verbs/*.ts', './verbs/*/index.ts'], {
  eager: true,
  import: 'verb',
})

/** @throws where a file declares no verb, or not the one that its name says: a bug of ours */
export function collectVerbs(files: Readonly<Record<string, unknown>>): Verb[] {
  const verbs = Object.entries(files).map(([file, verb]) => {
    if (!(verb instanceof Verb)) {
      throw new Error(`${file} has no verb: export const verb = defineVerb({ … })`)
    }
    const name = /([^/]+?)(\/index)?\.ts$/.exec(file)?.[1]
    if (name !== verb.text.name) {
      throw new Error(`${file} declares the verb "${verb.text.name}": give both the same name`)
    }
    return verb
  })
  return verbs.sort((a, b) => a.text.order - b.text.order || a.text.name.localeCompare(b.text.name))
}

/** All verbs, in the order of --help. */
export const verbs: readonly Verb[] = collectVerbs(found)
