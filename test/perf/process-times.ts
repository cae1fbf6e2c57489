import fs from 'node:fs'

/** What a process of the app does, by the words that it was started with. */
const kinds: readonly (readonly [name: string, words: RegExp])[] = [
  ['renderer', /--type=renderer/],
  ['GPU process', /--type=gpu-process/],
  ['compile server', /opsmith_compile_server/],
  ['clangd', /clangd/],
  // In its sandbox, the program that starts it comes first.
  ['op hosts', /host\.cjs/],
]
const others = 'other processes'
/** Compilers and other tools come and go: what they took is known of their parent. */
const ended = 'compilers and tools'

/** Seconds of CPU time since each began, by what it does. */
export type ProcessTimes = ReadonlyMap<string, number>

interface Stat {
  parent: number
  own: number
  /** Of children that have ended. */
  children: number
}

const ticksPerSecond = 100

/** undefined where the process has ended. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may have blanks and brackets in it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, own = 0, system = 0, children = 0, childrenSystem = 0] = [
      1, 11, 12, 13, 14,
    ].map((index) => fields[index] ?? 0)
    return {
      parent,
      own: (own + system) / ticksPerSecond,
      children: (children + childrenSystem) / ticksPerSecond,
    }
  } catch {
    return undefined
  }
}

function kindOf(pid: number): string {
  try {
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return kinds.find(([, pattern]) => pattern.test(words))?.[0] ?? others
  } catch {
    return others
  }
}

/** CPU time of a process and all below it, so far. @param main the process of Electron's main part */
export function processTimes(main: number): ProcessTimes {
  const stats = new Map<number, Stat>()
  for (const name of fs.readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    if (stat) stats.set(Number(name), stat)
  }
  const times = new Map<string, number>()
  const add = (kind: string, seconds: number): void => {
    times.set(kind, (times.get(kind) ?? 0) + seconds)
  }
  const visit = (pid: number, kind: string): void => {
    const stat = stats.get(pid)
    if (!stat) return
    add(kind, stat.own)
    // The copies of the compile server compile: they are what it is for.
    add(kind === 'compile server' ? kind : ended, stat.children)
    for (const [child, { parent }] of stats) {
      if (parent === pid) visit(child, kindOf(child) === others ? kind : kindOf(child))
    }
  }
  visit(main, 'main')
  return times
}

/** What each took between two readings; one that came or went in between counts as far as it is known. */
export function timesBetween(before: ProcessTimes, after: ProcessTimes): ProcessTimes {
  return new Map(
    [...after].map(([kind, seconds]) => [kind, Math.max(0, seconds - (before.get(kind) ?? 0))]),
  )
}
