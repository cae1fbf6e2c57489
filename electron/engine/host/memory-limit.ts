import fs from 'node:fs'
import os from 'node:os'

/** Three quarters of the machine's memory, a container's limit counted. */
export function defaultMemoryLimit(): number {
  let limit = os.totalmem()
  try {
    const text = fs.readFileSync('/sys/fs/cgroup/memory.max', 'utf8').trim()
    if (text !== 'max') limit = Math.min(limit, Number(text))
  } catch {
    // No cgroup, no limit of one.
  }
  return Math.floor(limit * 0.75)
}
