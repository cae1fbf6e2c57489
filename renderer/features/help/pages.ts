/** The documents of docs, as Markdown; a chunk of its own, which a window that shows no help does not load. */
const sources = import.meta.glob<string>(
  '../../../docs/{tutorials,how-to,explanation,reference}/*.md',
  { eager: true, query: '?raw', import: 'default' },
)

const kinds = {
  tutorials: 'Tutorials',
  'how-to': 'How-to guides',
  explanation: 'Explanation',
  reference: 'Reference',
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
  return { id, title: /^# (.+)$/m.exec(text)?.[1] ?? id, text }
}

const pages = Object.entries(sources).map(pageOf)

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
    const found = pages.filter((page) => page.id.startsWith(`${kind}/`) && holds(page))
    found.sort((a, b) => a.title.localeCompare(b.title))
    return found.length === 0 ? [] : [{ kind, title: kinds[kind], pages: found }]
  })
}
