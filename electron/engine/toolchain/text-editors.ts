import { spawn } from 'node:child_process'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { findOnPath } from './find-on-path'

/** A place in a file; `file` and `folder` are absolute, `line` and `column` begin at 1. */
export interface TextPlace {
  folder: string
  file: string
  line: number
  column: number
}

interface TextEditor {
  program: string
  name: string
  args: (place: TextPlace) => string[]
}

const gotoPlace = ({ folder, file, line, column }: TextPlace): string[] => [
  folder,
  '--goto',
  `${file}:${line}:${column}`,
]
const colonPlace = ({ file, line, column }: TextPlace): string[] => [`${file}:${line}:${column}`]
const plusPlace = ({ file, line, column }: TextPlace): string[] => [`+${line}:${column}`, file]
const plusLine = ({ file, line }: TextPlace): string[] => [`+${line}`, file]
const optionPlace = ({ file, line, column }: TextPlace): string[] => [
  '-l',
  String(line),
  '-c',
  String(column),
  file,
]

/** All programs that files are opened in; nothing else is started. The first one on PATH is taken. */
const editors: Readonly<Record<'vscode' | 'system', readonly TextEditor[]>> = {
  vscode: [
    { program: 'code', name: 'VS Code', args: gotoPlace },
    { program: 'code-insiders', name: 'VS Code Insiders', args: gotoPlace },
    { program: 'codium', name: 'VSCodium', args: gotoPlace },
    { program: 'cursor', name: 'Cursor', args: gotoPlace },
  ],
  system: [
    { program: 'gnome-text-editor', name: 'Text Editor', args: plusPlace },
    { program: 'kate', name: 'Kate', args: optionPlace },
    { program: 'gedit', name: 'gedit', args: plusPlace },
    { program: 'xed', name: 'xed', args: plusLine },
    { program: 'mousepad', name: 'Mousepad', args: optionPlace },
    { program: 'subl', name: 'Sublime Text', args: colonPlace },
    { program: 'zed', name: 'Zed', args: colonPlace },
    { program: 'geany', name: 'Geany', args: colonPlace },
  ],
}

/**
 * Opens a file at a place in another program, which goes on when Opsmith ends.
 * @returns the program's name. Errors: none of its kind is on PATH, or it cannot be started (io).
 */
export async function openInTextEditor(
  kind: keyof typeof editors,
  place: TextPlace,
): Promise<Result<{ name: string }>> {
  const found = editors[kind].flatMap((editor) => {
    const program = findOnPath(editor.program)
    return program === undefined ? [] : [{ editor, program }]
  })
  const [first] = found
  if (!first) {
    const names = editors[kind].map(({ program }) => program).join(', ')
    return err(
      'io',
      `Opsmith could not find ${kind === 'vscode' ? 'the command of VS Code (code)' : 'a text editor'} on PATH.`,
      {
        hint: `Install one of these programs, or add the folder of an installed one to PATH: ${names}.`,
      },
    )
  }
  // VS Code would run as Node with the first of these, and wait for us with the other.
  const { ELECTRON_RUN_AS_NODE: _asNode, VSCODE_IPC_HOOK_CLI: _hook, ...env } = process.env
  const { name, args } = first.editor
  return await new Promise((resolve) => {
    const child = spawn(first.program, args(place), {
      cwd: place.folder,
      detached: true,
      stdio: 'ignore',
      env,
    })
    child.once('error', (error) => {
      resolve(err('io', `Could not start ${name}: ${error.message}.`))
    })
    child.once('spawn', () => {
      child.unref()
      resolve(ok({ name }))
    })
  })
}
