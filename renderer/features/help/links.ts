/**
 * Where a link of a page leads.
 * @param from the page that has the link: "how-to/gradcheck"
 * @param href as it is written there: "../reference/lints.md#opsmith-from-blob"
 * @returns the page and the anchor, as showGuide() wants them; null for anything else, such as a web site or a picture
 */
export function placeOfLink(from: string, href: string): string | null {
  if (href.startsWith('#')) return `${from}${href}`
  if (/^[a-z]+:/.test(href)) return null
  const [file = '', anchor] = href.split('#')
  if (!file.endsWith('.md')) return null
  const parts = from.split('/').slice(0, -1)
  for (const part of file.replace(/\.md$/, '').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/') + (anchor === undefined ? '' : `#${anchor}`)
}
