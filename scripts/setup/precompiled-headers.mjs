import path from 'node:path'

import { runCommand, tail } from '../lib/command.mjs'
import { root } from '../lib/paths.mjs'
import { environmentVariables, keepEnvironment } from './environment.mjs'

/**
 * Headers that every build of an operator starts from. The engine makes them, and keeps them in the
 * cache folder; without this step the first build would, and take that much longer.
 * @type {import('../lib/steps.mjs').Step}
 */
export const precompiledHeaders = {
  title: 'precompiled headers',
  // The engine knows what is there and answers in a moment when all is.
  check: () => undefined,
  async make(context, say) {
    keepEnvironment(context)
    try {
      await runCommand([process.execPath, path.join(root, 'dist', 'cli.cjs'), 'prepare'], {
        cwd: root,
        timeoutSeconds: 900,
        env: { ...process.env, ...environmentVariables() },
      })
    } catch (error) {
      say(
        `libtorch's headers could not be precompiled, so the first build will take longer: ${tail(error.message, 3)}`,
      )
    }
  },
}
