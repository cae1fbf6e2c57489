// The names and texts of the operator checks, from native/runtime/operator_check/checks.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

import { readJson } from '../lib/files.mjs'
import { localCommand, root, setupFolder } from '../lib/paths.mjs'

export const file = 'electron/contract/operator-checks.generated.ts'
/** The table is in the addon, so set-up must have made it. */
export const needsAddon = true

/** @typedef {{ name: string, title: string, meaning: string, onlyWhenAsked: string, sanitizer: boolean, thorough: boolean }} Check */

/** The addon that set-up built last; undefined where there is none. */
function loadAddon() {
  const addon = readJson(path.join(setupFolder, 'environment.json'))?.addon
  if (!addon) return undefined
  return createRequire(import.meta.url)(path.join(addon, 'opsmith_native.node'))
}

/** Why the file cannot be written now; "" when it can. */
export function obstacle() {
  const addon = loadAddon()
  if (!addon) return 'the addon is not built: run npm run setup'
  return addon.call ? '' : 'the addon is older than its sources: run npm run setup'
}

/** @param {Check[]} checks in the order in which people read them */
export function operatorChecksText(checks) {
  const text = `// Written by "npm run generate" from native/runtime/operator_check/checks. Do not edit.

/** In the order in which people read them: schema first, memory last. */
export const operatorCheckNames = ${JSON.stringify(checks.map(({ name }) => name))} as const

export const operatorChecks = ${JSON.stringify(
    Object.fromEntries(
      checks.map(({ name, title, meaning, onlyWhenAsked, sanitizer, thorough }) => [
        name,
        { title, meaning, onlyWhenAsked, sanitizer, thorough },
      ]),
    ),
  )} as const
`
  const command = [localCommand('oxfmt'), '--stdin-filepath', file]
  return execFileSync(process.execPath, command, { cwd: root, input: text, encoding: 'utf8' })
}

export async function write() {
  return operatorChecksText(await loadAddon().call('operatorCheck.list', {}))
}
