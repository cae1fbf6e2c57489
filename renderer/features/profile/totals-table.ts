import type { ProfileTotal } from '../../../electron/contract/profile'
import { bytesText, shareText, timeText } from '../../shell/spans/times'

export type TotalsColumn = 'name' | 'calls' | 'total' | 'self' | 'allocated'
export type TotalsOrder = { by: TotalsColumn; descending: boolean }

/** Names from A, numbers from the largest: what a first click on a column means. */
export function firstOrder(by: TotalsColumn): TotalsOrder {
  return { by, descending: by !== 'name' }
}

export function sortTotals(
  totals: readonly ProfileTotal[],
  { by, descending }: TotalsOrder,
): ProfileTotal[] {
  const sign = descending ? -1 : 1
  return [...totals].sort((a, b) => {
    const order = by === 'name' ? (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) : a[by] - b[by]
    return sign * order || b.self - a.self
  })
}

const placeText = ({ file, line }: ProfileTotal): string => (file === '' ? '' : `${file}:${line}`)

/** As Markdown, as it is sorted; `title` says of what. */
export function totalsMarkdown(totals: readonly ProfileTotal[], title: string): string {
  const rows = totals.map((one) =>
    [
      `\`${one.name}\``,
      String(one.calls),
      timeText(one.total),
      timeText(one.self),
      shareText(one.share),
      one.allocated === 0 ? '' : bytesText(one.allocated),
      placeText(one),
    ].join(' | '),
  )
  return [
    `${title}`,
    '',
    '| name | calls | total | self | self share | memory | called at |',
    '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n')
}

/** RFC 4180; times in ns, memory in bytes. */
export function totalsCsv(totals: readonly ProfileTotal[]): string {
  const field = (value: string | number): string => {
    const text = String(value)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const header = ['name', 'kind', 'calls', 'total_ns', 'self_ns', 'share', 'allocated_bytes']
  return [
    [...header, 'file', 'line', 'places'].join(','),
    ...totals.map((one) =>
      [
        one.name,
        one.kind,
        one.calls,
        one.total,
        one.self,
        one.share,
        one.allocated,
        one.file,
        one.line,
        one.places,
      ]
        .map(field)
        .join(','),
    ),
    '',
  ].join('\r\n')
}
