/** The first line of each generated page. */
export const generatedNote =
  '<!-- Written by `npm run generate`: edit the sources, not this file. -->'

/** Plain text as Markdown: `<name>` would be HTML outside of code. @param {string} text */
export const prose = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part))
    .join('')

/** A text as code; "" stays empty. @param {string} text */
export const code = (text) => (text === '' ? '' : `\`${text}\``)

const cell = (text) => prose(text).replaceAll('|', '\\|').replaceAll('\n', ' ')

/** @param {string[]} head @param {string[][]} rows */
export function markdownTable(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** Paragraphs, tables and headings with an empty line between them. @param {string[]} parts */
export function markdownPage(...parts) {
  return `${[generatedNote, ...parts].filter((part) => part !== '').join('\n\n')}\n`
}
