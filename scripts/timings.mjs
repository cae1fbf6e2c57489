// `npm run timings`: the benchmarks of the samples that PyTorch's tutorials time, as tables in docs/reference/sample-timings.md. They
// are of this machine, which had better do nothing else.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

import { root } from './lib/paths.mjs'
import { writeGeneratedPart } from './lib/generated-part.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

const run = promisify(execFile)
const samples = ['my_op', 'sigmoid', 'gc_layer']

await setUpOrExit({ window: false, tests: false })
const blocks = []
for (const name of samples) {
  process.stderr.write(`samples/${name} … `)
  const { stdout } = await run(
    process.execPath,
    [path.join(root, 'dist', 'cli.cjs'), 'bench', `samples/${name}`],
    { cwd: root, env: { ...process.env, ...environmentVariables() } },
  )
  blocks.push(`$ opsmith bench samples/${name}\n${stdout.trim()}`)
  console.error('done')
}
writeGeneratedPart(
  'docs/reference/sample-timings.md',
  'timings',
  ['```', blocks.join('\n\n'), '```'].join('\n'),
)
