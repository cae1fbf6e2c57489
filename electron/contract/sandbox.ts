import { z } from 'zod'

/**
 * What a sandbox prevents in an op host: `files`, writing outside of the folders it was given; `network`, opening
 * sockets but those of the file system; `signals`, ending processes that it did not start.
 */
export const sandboxBound = z.enum(['files', 'network', 'signals'])
export type SandboxBound = z.infer<typeof sandboxBound>

/** The sandbox of the op host in use. */
export const sandboxState = z.object({
  bounds: z.array(sandboxBound),
  /** Why a bound is missing, as a sentence; "" where all hold. */
  why: z.string(),
})
export type SandboxState = z.infer<typeof sandboxState>

/** The bounds that hold, from the words that native/launcher gives. */
export function readBounds(text: string): SandboxBound[] {
  const words = text.trim().split(' ')
  return sandboxBound.options.filter((bound) => words.includes(bound))
}

const meanings: Record<SandboxBound, string> = {
  files: 'writes only to allowed folders',
  network: 'has no network',
  signals: 'sends signals only to its own processes',
}

/** "writes only to allowed folders, has no network, sends signals only to its own processes"; "" of none. */
export function describeBounds(bounds: readonly SandboxBound[]): string {
  return bounds.map((bound) => meanings[bound]).join(', ')
}

const missing: Record<SandboxBound, string> = {
  files:
    'operators can write to every folder, because this Linux kernel has no Landlock (Linux 5.13 or newer has it, unless it is switched off)',
  network: 'operators can use the network, because this Linux kernel has no seccomp filters',
  signals:
    'operators can send signals to other processes, because Landlock of this Linux kernel cannot block signals (Linux 6.12 or newer can)',
}

/** @param isWanted false where the user has switched the sandbox off */
export function sandboxStateOf(isWanted: boolean, bounds: readonly SandboxBound[]): SandboxState {
  if (!isWanted) return { bounds: [], why: 'The sandbox is switched off.' }
  const lacking = sandboxBound.options.filter((bound) => !bounds.includes(bound))
  if (lacking.length === 0) return { bounds: [...bounds], why: '' }
  const reasons = lacking.includes('files') ? lacking.filter((one) => one !== 'signals') : lacking
  const why = reasons.map((bound) => missing[bound]).join('; ')
  return { bounds: [...bounds], why: `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.` }
}
