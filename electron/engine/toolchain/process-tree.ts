import { randomUUID } from 'node:crypto'
import fs from 'node:fs'

/**
 * Every process that runs user code or a compiler has this variable, and so have those that it starts, whatever
 * session or parent they give themselves: "PID.START.NAMESPACE.ID", our process, its start in clock ticks, the
 * namespace in which it has that number, and an id.
 */
const variable = 'OPSMITH_STARTED_BY'

/**
 * When a process started, in clock ticks since the machine did; "" where there is none, or no /proc. Its number may be
 * given to another process after it.
 */
export function startOf(pid: number | 'self'): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: state is field 3, starttime 22 (proc(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

/** The namespace of our processes' numbers: a container has one of its own. "" where there is no /proc. */
export function processNamespace(): string {
  try {
    return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
  } catch {
    return ''
  }
}

const namespace = processNamespace()
const owner = `${process.pid}.${startOf('self')}.${namespace}`

/** A name for a tree of processes that is about to be started. */
export function newTree(): string {
  return `${owner}.${randomUUID()}`
}

/** What the first process of a tree needs in its environment. */
export function treeEnvironment(tree: string): Record<string, string> {
  return { [variable]: tree }
}

/** Our environment for a process that lives on without us, also on another machine: it belongs to no tree. */
export function environmentWithoutTree(): NodeJS.ProcessEnv {
  const { [variable]: _tree, ...rest } = process.env
  return rest
}

async function treeOf(pid: string): Promise<string | undefined> {
  try {
    const words = (await fs.promises.readFile(`/proc/${pid}/environ`, 'latin1')).split('\0')
    return words.find((word) => word.startsWith(`${variable}=`))?.slice(variable.length + 1)
  } catch {
    // It has ended, or is another user's.
    return undefined
  }
}

/** Kills until there is none: a process that is found may have started another meanwhile. */
async function endWhere(isUnwanted: (tree: string) => boolean): Promise<number> {
  let ended = 0
  for (let round = 0; round < 20; round += 1) {
    const names = await fs.promises.readdir('/proc').catch(() => [])
    const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    const trees = await Promise.all(pids.map(treeOf))
    const unwanted = pids.filter((_, index) => {
      const tree = trees[index]
      return tree !== undefined && isUnwanted(tree)
    })
    if (unwanted.length === 0) break
    for (const pid of unwanted) {
      try {
        process.kill(Number(pid), 'SIGKILL')
        ended += 1
      } catch {
        // It has ended.
      }
    }
  }
  return ended
}

/** Ends what is left of a tree; how many processes that were. */
export async function endTree(tree: string): Promise<number> {
  return await endWhere((candidate) => candidate === tree)
}

/** Whether the process lives that started a tree. */
export function hasOwner(tree: string): boolean {
  const [pid = '', start] = tree.split('.')
  return startOf(Number(pid)) === start
}

/** Whether the numbers of processes in a tree's name are those of a container, or those outside of ours. */
export function isOfOtherNamespace(tree: string): boolean {
  const [, , other = ''] = tree.split('.')
  // An older Opsmith has written no namespace.
  return /^\d+$/.test(other) && other !== namespace
}

/**
 * Ends what earlier windows and commands, which were killed, have left behind; how many processes that were. From
 * outside, the processes of a container are seen, but not under the numbers that their owners have in it.
 */
export async function endOrphans(): Promise<number> {
  return await endWhere((tree) => !isOfOtherNamespace(tree) && !hasOwner(tree))
}

const groups = new Set<number>()
let isListening = false

/** Ends a process group; one that is gone is fine. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

/**
 * Ends this process group with our own process at the latest, however that ends: all but SIGKILL.
 * @param leader a child that was started detached
 * @returns called when the group has ended
 */
export function endWithUs(leader: number): () => void {
  if (!isListening) {
    isListening = true
    process.on('exit', () => {
      for (const group of groups) endGroup(group)
    })
  }
  groups.add(leader)
  return () => {
    groups.delete(leader)
  }
}
