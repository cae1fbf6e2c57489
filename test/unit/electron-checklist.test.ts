import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

const root = path.resolve(__dirname, '../..')

/** The sources of what runs in Electron, by their names. */
const sources = ['electron/main', 'electron/preload', 'renderer'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.join(folder, name)),
)

/** The sources with a line of this form. */
const sourcesWith = (pattern: RegExp): string[] =>
  sources.filter((name) => pattern.test(fs.readFileSync(path.join(root, name), 'utf8')))

// What electronjs.org/docs/latest/tutorial/security asks for and sources show; test/e2e/security.test.ts asks the window.
it('no address is handed to the system to open', () => {
  expect(sourcesWith(/openExternal/)).toEqual([])
})

it('main listens to the window at one place, which knows the sender', () => {
  const listening = sourcesWith(/\bipcMain\s*\.\s*(on|once|handle|handleOnce)\b/)
  expect(listening).toEqual(['electron/main/listen-to-renderer.ts'])
  const text = fs.readFileSync(path.join(root, 'electron/main/listen-to-renderer.ts'), 'utf8')
  expect(text).toContain('isTrustedSender(event.senderFrame')
})

it("the window's one bridge hands out neither Electron nor ipcRenderer", () => {
  expect(sourcesWith(/exposeInMainWorld/)).toEqual(['electron/preload/index.ts'])
  expect(sourcesWith(/ipcRenderer/)).toEqual(['electron/preload/index.ts'])
})

it('the packed app takes no code from elsewhere: its fuses', () => {
  const text = fs.readFileSync(path.join(root, 'electron-builder.config.ts'), 'utf8')
  for (const fuse of [
    'enableNodeOptionsEnvironmentVariable: false',
    'enableNodeCliInspectArguments: false',
    'onlyLoadAppFromAsar: true',
    'grantFileProtocolExtraPrivileges: false',
  ])
    expect(text).toContain(`    ${fuse},\n`)
})
