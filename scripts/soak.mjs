// `npm run test:soak [-- NAME …] [--cycles N] [--every N] [--kills N] [--seed N]`: what takes too long for `npm test`.
// A file of test/soak exports `run(options): Promise<SoakResult>`.
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

import { startVirtualDisplay } from './lib/display.mjs'
import { loadTypeScript } from './lib/load-typescript.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'
import { hasDisplay } from './setup/system-needs.mjs'

const ending = '.soak.ts'
const known = fs
  .readdirSync(path.join(root, 'test', 'soak'))
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .sort()

const usage = `usage: npm run test:soak [-- NAME …] [--cycles N] [--every N] [--kills N] [--seed N]
  NAME        ${known.join(', ')}; without a name: all
  --cycles N  number of cycles: each edits, builds, runs and gradchecks (default: 2000)
  --every N   print figures after every N cycles (default: 100)
  --kills N   number of processes to kill (default: 50)
  --seed N    seed for the random times of kills (default: 1)`

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        cycles: { type: 'string', default: '2000' },
        every: { type: 'string', default: '100' },
        kills: { type: 'string', default: '50' },
        seed: { type: 'string', default: '1' },
      },
    })
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

const { values, positionals } = parseCommandLine()
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) refuse(`unknown soak test ${unknown.join(', ')}\n${usage}`)
const numbers = Object.fromEntries(
  Object.entries(values).map(([name, text]) => {
    const value = Number(text)
    if (Number.isInteger(value) && value > 0) return [name, value]
    return refuse(`--${name} must be an integer of at least 1, not ${text}\n${usage}`)
  }),
)

await setUpOrExit({ window: true, tests: true, headers: true, quiet: true })
Object.assign(process.env, environmentVariables(), { OPSMITH_TESTS: '1' })
const display = hasDisplay() ? undefined : await startVirtualDisplay()
if (display) process.env['DISPLAY'] = display.display
let failed = 0
try {
  for (const name of positionals.length > 0 ? positionals : known) {
    console.log(name)
    const { run } = await loadTypeScript(`test/soak/${name}${ending}`)
    const { problems } = await run({ ...numbers, say: (line) => console.log(`  ${line}`) })
    for (const problem of problems) console.log(`  FAILED: ${problem}`)
    if (problems.length === 0) console.log('  passed')
    failed += problems.length
  }
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error)
  failed += 1
} finally {
  display?.stop()
}
process.exitCode = failed > 0 ? 1 : 0
