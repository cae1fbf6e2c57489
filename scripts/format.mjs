// `npm run format`: lays out every source as `npm run check` asks.
import { formatWithClangFormat } from './checks/clang-format.mjs'
import { runCommand } from './lib/command.mjs'
import { localCommand, root } from './lib/paths.mjs'

await runCommand([localCommand('prettier'), '--write', '--log-level', 'warn', '.'], { cwd: root })
await formatWithClangFormat()
