// `npm run format`: lays out every source as `npm run check` asks.
import { formatWithClangFormat } from './checks/clang-format.mjs'
import { CommandFailure, runCommand } from './lib/command.mjs'
import { localCommand, root } from './lib/paths.mjs'

try {
  await runCommand([localCommand('oxfmt'), '.'], { cwd: root })
  await formatWithClangFormat()
} catch (error) {
  // A source that does not parse: its place is what the tool printed.
  if (!(error instanceof CommandFailure)) throw error
  console.error(error.output || error.message)
  process.exitCode = 1
}
