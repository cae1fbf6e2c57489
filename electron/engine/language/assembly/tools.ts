import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { findSymbolizer } from '../../host/symbolize'
import { findAllOnPath, findOnPath } from '../../toolchain/find-on-path'
import { runProcess } from '../../toolchain/run-command'
import type { CommandLimits } from '../../toolchain/run-command'
import { parseFrames } from './parse-disassembly'
import type { SourceFrame } from './parse-disassembly'

/** Tools print a line or several for each instruction of a library. */
const limits: CommandLimits = { seconds: 120, outputBytes: 512 << 20, memoryBytes: 0 }

/** GNU's tool of that name, else LLVM's with or without its version. */
export function findTool(name: string): string | undefined {
  return (
    findOnPath(name) ??
    findOnPath(`llvm-${name}`) ??
    findAllOnPath(new RegExp(`^llvm-${name}-\\d+$`)).at(-1)
  )
}

/** What a tool prints; an error that names the tool where there is none or it fails. */
export async function askTool(
  tool: string,
  args: readonly string[],
  options: { input?: string; cwd?: string; signal?: AbortSignal } = {},
): Promise<Result<string>> {
  const result = await runProcess(tool, args, { ...options, limits })
  if (result.stopped === 'cancelled') return err('cancelled', 'Stopped.')
  if (result.exitCode !== 0 || result.truncated) {
    const why = result.truncated ? `printed more than ${limits.outputBytes >> 20} MiB` : 'failed'
    return err('toolchain.mismatch', `${tool} ${why}.`, { detail: result.stderr.slice(-4000) })
  }
  return ok(result.stdout)
}

/** The functions and lines behind addresses of a library, innermost first; nothing without a symbolizer. */
export async function locateInstructions(
  library: string,
  addresses: readonly bigint[],
): Promise<Result<Map<bigint, SourceFrame[]>>> {
  const symbolizer = findSymbolizer()
  if (!symbolizer || addresses.length === 0) return ok(new Map())
  const said = await askTool(symbolizer.tool, [...symbolizer.args, '-a', '-e', library], {
    input: addresses.map((address) => `0x${address.toString(16)}\n`).join(''),
  })
  return said.ok ? ok(parseFrames(said.value)) : said
}
