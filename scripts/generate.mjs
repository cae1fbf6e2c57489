// Writes the files that are made from other sources: npm run generate
//   electron/contract/operator-checks.generated.ts  from native/runtime/operator_check/checks
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { readJson } from './lib/files.mjs'
import { root, setupFolder } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'

const checksFile = path.join(root, 'electron', 'contract', 'operator-checks.generated.ts')

/**
 * @param {{ name: string, title: string, meaning: string, onlyWhenAsked: string, sanitizer: boolean }[]} checks
 * @returns {Promise<string>}
 */
export async function operatorChecksText(checks) {
  const { format, resolveConfig } = await import('prettier')
  const text = `// Written by "npm run generate" from native/runtime/operator_check/checks. Do not edit.

/** In the order in which people read them: schema first, memory last. */
export const operatorCheckNames = ${JSON.stringify(checks.map(({ name }) => name))} as const

export const operatorChecks = ${JSON.stringify(
    Object.fromEntries(
      checks.map(({ name, title, meaning, onlyWhenAsked, sanitizer }) => [
        name,
        { title, meaning, onlyWhenAsked, sanitizer },
      ]),
    ),
  )} as const
`
  return await format(text, { ...(await resolveConfig(checksFile)), filepath: checksFile })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUpOrExit({ window: false, tests: false, headers: false, quiet: true })
  const { addon } = readJson(path.join(setupFolder, 'environment.json'))
  const native = createRequire(import.meta.url)(path.join(addon, 'opsmith_native.node'))
  fs.writeFileSync(
    checksFile,
    await operatorChecksText(await native.call('operatorCheck.list', {})),
  )
  console.log(`Wrote ${path.relative(root, checksFile)}.`)
}
