import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/export-forms.md'

export async function write(load) {
  const { forms } = await load('electron/engine/project-export/all-forms.ts')
  return markdownPage(
    '# Export forms',
    '`opsmith export PROJECT --as FORM[,FORM…] --out DIR` writes a project in these forms. `--list` shows which of them a project can be exported as on this machine. If the tools of a form are missing, the form is written, but only part of its proof is tried.',
    markdownTable(
      ['form', 'what it is for', 'what the project needs', 'tools of its proof'],
      forms.map(({ id, purpose, needs, tools }) => [
        code(id),
        purpose,
        needs === '' ? 'nothing more' : needs,
        tools.map((tool) => (tool === 'pkgConfig' ? 'pkg-config' : tool)).join(', '),
      ]),
    ),
  )
}
