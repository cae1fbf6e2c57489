/** How one of the things that are declared in a file each is recognised. */
export interface Declared<Item> {
  /** What a file must have, for the error: "export const verb = defineVerb({ … })". */
  example: string
  /** It must be the file's name: "bench" of verbs/bench.ts and of verbs/bench/index.ts. */
  nameOf: (item: Item) => string
  /** The place in lists; items of one place are in the order of their names. */
  orderOf: (item: Item) => number
}

/**
 * What the files of a folder declare, in order. The bundler finds the files, so there is no list to keep.
 * @param files the exports by their paths, as import.meta.glob gives them
 * @throws where a file declares nothing, or something of another name: a bug of ours
 */
export function collectFiles<Item>(
  files: Readonly<Record<string, Item | undefined>>,
  { example, nameOf, orderOf }: Declared<Item>,
): Item[] {
  const items = Object.entries(files).map(([file, item]) => {
    if (item === undefined) throw new Error(`${file} exports nothing: add ${example}`)
    const name = /([^/]+?)(\/index)?\.ts$/.exec(file)?.[1]
    if (name !== nameOf(item)) {
      throw new Error(`${file} declares "${nameOf(item)}": the file must have the same name`)
    }
    return item
  })
  // Not by localeCompare(): it would load ICU at each start, which takes 5 ms.
  const byName = (a: Item, b: Item): number => (nameOf(a) < nameOf(b) ? -1 : 1)
  return items.sort((a, b) => orderOf(a) - orderOf(b) || byName(a, b))
}
