import { isBad, type KnownTest } from './store'

/** A row of the tree: a file, a class, or a test. */
export type TreeRow = {
  /** The node id as pytest takes it, to run all below it. */
  id: string
  label: string
  depth: number
  /** null for a file or a class. */
  known: KnownTest | null
  /** Of a file or a class: how many tests are below it, and how many of them failed. */
  count: number
  failed: number
  isFolded: boolean
}

/** "tests/test_a.py::TestA::test_b[x::y]": its file, classes and name; "::" in brackets is a parameter's. */
export function partsOf(id: string): string[] {
  const bracket = id.indexOf('[')
  const end = bracket < 0 ? id.length : bracket
  const parts = id.slice(0, end).split('::')
  const last = parts.length - 1
  return parts.map((part, index) => (index === last ? part + id.slice(end) : part))
}

/** The tests below their files and classes, in the order of `tests`; what is folded has no rows below it. */
export function treeRows(
  tests: Readonly<Record<string, KnownTest>>,
  folded: readonly string[],
): TreeRow[] {
  const groups = new Map<string, TreeRow>()
  const below = new Map<string, TreeRow[]>([['', []]])
  for (const known of Object.values(tests)) {
    const { id } = known.test
    const parts = partsOf(id)
    let parent = ''
    parts.forEach((label, depth) => {
      const rows = below.get(parent)
      const isTest = depth === parts.length - 1
      const key = isTest ? id : parts.slice(0, depth + 1).join('::')
      if (isTest) {
        rows?.push({ id, label, depth, known, count: 1, failed: 0, isFolded: false })
        return
      }
      let group = groups.get(key)
      if (!group) {
        const isFolded = folded.includes(key)
        group = { id: key, label, depth, known: null, count: 0, failed: 0, isFolded }
        groups.set(key, group)
        below.set(key, [])
        rows?.push(group)
      }
      group.count += 1
      if (isBad(known)) group.failed += 1
      parent = key
    })
  }
  const listed = (key: string): TreeRow[] =>
    (below.get(key) ?? []).flatMap((row) =>
      row.known || row.isFolded ? [row] : [row, ...listed(row.id)],
    )
  return listed('')
}
