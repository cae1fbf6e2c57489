import fs from 'node:fs'
import path from 'node:path'

/** The kinds of processes of the app that are told apart. */
export const processKinds = [
  'main',
  'renderer',
  'op host',
  'compile server',
  'clangd',
  'other',
] as const
export type ProcessKind = (typeof processKinds)[number]

export interface AppProcess {
  pid: number
  kind: ProcessKind
}

interface Entry {
  pid: number
  parent: number
  words: string
  /** What marks the processes that run user code, and those that they start; see process-tree.ts. */
  startedBy: string
}

function readEntry(pid: number): Entry | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: state, then the parent (proc(5)).
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return undefined
    const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
    const environment = fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    const mark = environment.find((word) => word.startsWith('OPSMITH_STARTED_BY='))
    return { pid, parent: Number(parent), words, startedBy: mark?.split('=')[1] ?? '' }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

function kindOf({ words }: Entry): ProcessKind {
  const [program = ''] = words.split(' ')
  if (words.includes('--type=renderer')) return 'renderer'
  if (words.includes('host.cjs')) return 'op host'
  if (path.basename(program).startsWith('clangd')) return 'clangd'
  return words.includes('--shared-code') ? 'compile server' : 'other'
}

/** The processes of the app whose main process this is: those below it, and those that it started apart from it. */
export function appProcesses(main: number): AppProcess[] {
  const pids = fs.readdirSync('/proc').map(Number).filter(Number.isInteger)
  const entries = pids.flatMap((pid) => readEntry(pid) ?? [])
  const found = new Map<number, AppProcess>()
  const add = (entry: Entry): void => {
    if (found.has(entry.pid)) return
    const kind = entry.pid === main ? 'main' : kindOf(entry)
    found.set(entry.pid, { pid: entry.pid, kind })
    for (const child of entries) if (child.parent === entry.pid) add(child)
  }
  for (const entry of entries)
    if (entry.pid === main || entry.startedBy.startsWith(`${main}.`)) add(entry)
  return [...found.values()]
}

export interface ProcessFigures {
  /** Bytes that no other process shares. */
  memory: number
  descriptors: number
  mappings: number
}

/** Zeros for a process that has ended. */
export function figuresOf(pid: number): ProcessFigures {
  try {
    const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const kilobytes = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)]
    return {
      memory: 1024 * kilobytes.reduce((sum, [, number]) => sum + Number(number), 0),
      descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
      mappings: fs.readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').length - 1,
    }
  } catch {
    return { memory: 0, descriptors: 0, mappings: 0 }
  }
}

/** Processes that live on though the app that started them ended. `mains`: main processes, other apps run here too. */
export function startedByDead(mains: ReadonlySet<number>): { pid: number; words: string }[] {
  const pids = fs.readdirSync('/proc').map(Number).filter(Number.isInteger)
  const entries = pids.flatMap((pid) => readEntry(pid) ?? [])
  const living = new Set(entries.map(({ pid }) => pid))
  return entries.filter(({ startedBy }) => {
    const owner = Number.parseInt(startedBy, 10)
    return mains.has(owner) && !living.has(owner)
  })
}
