import type { Manifest } from '../../contract/manifest'
import type {
  ImportRemark,
  ImportSwitch,
  ProposalLine,
  ProposedFile,
} from '../../contract/project-import'

/** The keys that a proposal may have, in the order in which they are written. */
const keys = [
  'name',
  'version',
  'pythonModules',
  'sources',
  'cudaSources',
  'functions',
  'includePaths',
  'optimization',
  'fastMath',
  'marchNative',
  'cflags',
  'cudaCflags',
  'cudaDefines',
  'cudaArchitectures',
  'ldflags',
  'cudaLdflags',
] as const satisfies readonly (keyof Manifest)[]
type Key = (typeof keys)[number]

type ListKey = {
  [K in Key]: NonNullable<Manifest[K]> extends readonly string[] ? K : never
}[Key]

interface Item {
  /** One flag, or a flag and its value. */
  values: readonly string[]
  origin: string
}

/** An opsmith.json that is being put together, each value with its origin. */
export class ProposalDraft {
  readonly remarks: ImportRemark[] = []
  readonly switches: ImportSwitch[] = []
  /** Sources that are written with opsmith.json. */
  readonly files: ProposedFile[] = []
  private readonly values = new Map<Key, { text: string; origin: string }>()
  private readonly lists = new Map<Key, Item[]>()

  set(key: Exclude<Key, ListKey>, value: string | boolean, origin: string): void {
    this.values.set(key, { text: JSON.stringify(value), origin })
  }

  /** Adds to a list what it does not have yet; several values stay together. */
  add(key: ListKey, values: readonly string[], origin: string): void {
    const items = this.lists.get(key) ?? []
    const isThere = items.some((item) => item.values.join('\0') === values.join('\0'))
    if (!isThere) this.lists.set(key, [...items, { values, origin }])
  }

  has(key: Key): boolean {
    return this.values.has(key) || this.lists.has(key)
  }

  listed(key: ListKey): string[] {
    return (this.lists.get(key) ?? []).flatMap((item) => item.values)
  }

  /** The same remark is made once. */
  remark(text: string, at: { file?: string; line?: number; command?: string } = {}): void {
    const { file = '', line = 0, command = '' } = at
    const isThere = this.remarks.some((one) => one.text === text && one.line === line)
    if (!isThere) this.remarks.push({ text, file, line, command })
  }

  /** A switch that several runs ask for is one. */
  offer(asked: ImportSwitch): void {
    if (!this.switches.some((one) => one.name === asked.name)) this.switches.push(asked)
  }

  propose(file: ProposedFile): void {
    if (!this.files.some((one) => one.path === file.path)) this.files.push(file)
  }

  lines(): ProposalLine[] {
    const blocks = keys.flatMap((key) => {
      const block = this.block(key)
      return block.length === 0 ? [] : [block]
    })
    const body = blocks.flatMap((block, index) =>
      block.map((line, at): ProposalLine => {
        const isEnd = at === block.length - 1 && index < blocks.length - 1
        return isEnd ? { text: `${line.text},`, origin: line.origin } : line
      }),
    )
    return [{ text: '{', origin: '' }, ...body, { text: '}', origin: '' }]
  }

  private block(key: Key): ProposalLine[] {
    const value = this.values.get(key)
    if (value) return [{ text: `  "${key}": ${value.text}`, origin: value.origin }]
    const items = this.lists.get(key)
    if (!items) return []
    return [
      { text: `  "${key}": [`, origin: '' },
      ...items.map(({ values, origin }, index): ProposalLine => {
        const text = values.map((one) => JSON.stringify(one)).join(', ')
        return { text: `    ${text}${index < items.length - 1 ? ',' : ''}`, origin }
      }),
      { text: '  ]', origin: '' },
    ]
  }
}
