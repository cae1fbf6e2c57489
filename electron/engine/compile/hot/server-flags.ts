import { deviceCodeFlags, hostCodeFlags } from '../virtual-gpu/flags'

/** What a compile server can be told of one source. */
export interface ServerFlags {
  /** Of macros, "NAME" or "NAME=value". */
  defines: string[]
  includes: string[]
  /** Without the dash and the W, "no-unused-variable". */
  warnings: string[]
  /** The source is device code of the virtual GPU. */
  isGpu: boolean
}

/**
 * A project's flags as a compile server takes them.
 * @param isGpu they are of device code of the virtual GPU
 * @returns undefined when one of them changes what the headers mean, or is not known to be harmless
 */
export function flagsForServer(flags: readonly string[], isGpu = false): ServerFlags | undefined {
  const found: ServerFlags = { defines: [], includes: [], warnings: [], isGpu }
  for (let index = 0; index < flags.length; index += 1) {
    const flag = flags[index] ?? ''
    // The server knows what device code needs, and the host's C++ that includes CUDA's headers.
    if (isGpu ? deviceCodeFlags.includes(flag) : hostCodeFlags.includes(flag)) continue
    if (flag === '-I') {
      index += 1
      found.includes.push(flags[index] ?? '')
    } else if (flag.startsWith('-I')) found.includes.push(flag.slice(2))
    else if (/^-D[A-Za-z_]\w*(=|$)/.test(flag)) found.defines.push(flag.slice(2))
    else if (/^-W[a-z][a-z0-9=+-]*$/.test(flag)) found.warnings.push(flag.slice(2))
    else return undefined
  }
  return found
}
