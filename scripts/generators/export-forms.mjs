import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/export-forms.md'

export async function write(load) {
  const { forms } = await load('electron/engine/project-export/all-forms.ts')
  return markdownPage(
    '# Export forms',
    '`opsmith export PROJECT --as FORM[,FORM…] --out DIR` writes a project in these forms. `--list` shows the forms that are possible for the project on this machine. If the tools that a form needs are missing, Opsmith still writes the form, but runs only some of its tests.',
    markdownTable(
      ['form', 'purpose', 'requirements for the project', 'tools of the proof'],
      forms.map(({ id, purpose, needs, tools }) => [
        code(id),
        purpose,
        needs === '' ? 'none' : needs,
        tools.map((tool) => (tool === 'pkgConfig' ? 'pkg-config' : tool)).join(', '),
      ]),
    ),
  )
}
