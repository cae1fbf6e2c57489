import fs from 'node:fs'
import path from 'node:path'

import { defineConfig } from 'vitepress'

import { headingAnchor } from '../../renderer/shell/primitives/heading-anchor'

const docs = path.resolve(import.meta.dirname, '..')
type Entry = { text: string; link: string }

function titleOf(page: string): string {
  const text = fs.readFileSync(path.join(docs, page), 'utf8')
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page
}

/** The pages that a part of index.md links to, in its order. */
function entriesOf(part: string): Entry[] {
  const links = [...part.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, page = '']) => page)
  return links.map((page) => ({ text: titleOf(page), link: `/${page.replace(/\.md$/, '')}` }))
}

/** The sections of index.md with their pages: what is linked there is in the sidebar. */
function sections(): { text: string; items: Entry[] }[] {
  const [, ...parts] = fs.readFileSync(path.join(docs, 'index.md'), 'utf8').split(/^## /m)
  return parts.map((part) => ({ text: part.split('\n')[0] ?? '', items: entriesOf(part) }))
}

export default defineConfig({
  title: 'Opsmith',
  description: 'A desktop workbench for PyTorch operators in C++ and CUDA',
  // Relative links in all pages are the same on GitHub, on the site and in the window.
  markdown: { anchor: { slugify: headingAnchor } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sections(),
  },
  /** Pages link to the JSON Schema; it is not a page. */
  buildEnd({ outDir }) {
    const schema = 'opsmith.schema.json'
    fs.copyFileSync(path.join(docs, schema), path.join(outDir, schema))
  },
})
