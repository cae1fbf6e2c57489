#!/usr/bin/env node
// The command line: `npm run --silent opsmith -- build|schemas|run|doctor PROJECT [--json]`.
import path from 'node:path'

import { becomeCommand, userFolder } from './lib/launch.mjs'
import { root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

await setUpOrExit({ window: false, tests: false, headers: false, quiet: true })
await becomeCommand(
  [process.execPath, path.join(root, 'dist', 'cli.cjs'), ...process.argv.slice(2)],
  {
    cwd: userFolder('opsmith'),
    env: { ...process.env, ...environmentVariables() },
  },
)
