import fs from 'node:fs'

import type { TestCache } from './installation'

/** Processes that have the test's folders in their environment: an engine, and all that it started. */
export function processesOf(cache: TestCache): string[] {
  return fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cache.home)
    } catch {
      return false
    }
  })
}
