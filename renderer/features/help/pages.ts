import index from '../../../docs/index.md?raw'

/** The documents of docs, as Markdown; a chunk of its own, which a window that shows no help does not load. */
const sources = import.meta.glob<string>(
  [
    '../../../docs/{tutorials,how-to,reference,explanation,adr}/*.md',
    '../../../docs/{gpu,package,check-parity}.md',
  ],
  { eager: true, query: '?raw', import: 'default' },
)

/** Folders of docs; "" holds the pages that are in none. */
const kinds = {
  tutorials: 'Tutorials',
  'how-to': 'How-to guides',
  reference: 'Reference',
  explanation: 'Explanation',
  '': 'More',
  adr: 'Decisions',
} as const
type Kind = keyof typeof kinds

export type GuidePage = {
  /** Its path below docs, without ".md": "how-to/gradcheck". */
  id: string
  title: string
  text: string
}

export type GuideGroup = { kind: Kind; title: string; pages: readonly GuidePage[] }

function pageOf([file, text]: [string, string]): GuidePage {
  const id = file.replace(/^.*\/docs\//, '').replace(/\.md$/, '')
  return { id, title: /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? id, text }
}

/** In the order of index.md, as in the sidebar of the site; those that it does not link to come last. */
const placeInIndex = ({ id }: GuidePage): number => {
  const place = index.indexOf(`(${id}.md)`)
  return place < 0 ? index.length : place
}

const pages = Object.entries(sources)
  .map(pageOf)
  .sort((a, b) => placeInIndex(a) - placeInIndex(b) || a.id.localeCompare(b.id))

const kindOf = ({ id }: GuidePage): string => id.split('/').slice(0, -1).join('/')

export function guidePage(id: string): GuidePage | undefined {
  return pages.find((page) => page.id === id)
}

/** The pages of each kind that contain all words of the query; of an empty query, all. */
export function searchGuides(query: string): GuideGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const holds = ({ text }: GuidePage): boolean => {
    const lower = text.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
  return (Object.keys(kinds) as Kind[]).flatMap((kind) => {
    const found = pages.filter((page) => kindOf(page) === kind && holds(page))
    return found.length === 0 ? [] : [{ kind, title: kinds[kind], pages: found }]
  })
}
