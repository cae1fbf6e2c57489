// What both the app and the command line alone are packed with.
import fs from 'node:fs'
import path from 'node:path'

import { loadTypeScript } from '../lib/load-typescript.mjs'
import { root } from '../lib/paths.mjs'

/** What `opsmith setup` compiles the native addon with; the bundles need no other npm package. */
export async function copyAddonHeaders(target) {
  const { addonHeaders } = await loadTypeScript('electron/engine/remote/engine-files.ts')
  for (const name of addonHeaders)
    fs.cpSync(path.join(root, name), path.join(target, name), { recursive: true })
}

/** Read by everybody, written by its owner; what was executable stays so. */
export function setModes(folder) {
  fs.chmodSync(folder, 0o755)
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) setModes(file)
    else if (entry.isFile()) fs.chmodSync(file, fs.statSync(file).mode & 0o100 ? 0o755 : 0o644)
  }
}
