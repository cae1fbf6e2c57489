// What both the app and the command line alone are packed with.
import fs from 'node:fs'
import path from 'node:path'

import { root } from '../lib/paths.mjs'

/** What `opsmith setup` compiles the native addon with; the bundles need no other npm package. */
const addonHeaders = [
  'node-addon-api/package.json',
  'node-addon-api/napi.h',
  'node-addon-api/napi-inl.h',
  'node-addon-api/napi-inl.deprecated.h',
  'node-api-headers/package.json',
  'node-api-headers/include',
]

export function copyAddonHeaders(target) {
  for (const name of addonHeaders) {
    const to = path.join(target, 'node_modules', name)
    fs.cpSync(path.join(root, 'node_modules', name), to, { recursive: true })
  }
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
