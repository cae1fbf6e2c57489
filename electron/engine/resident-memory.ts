import fs from 'node:fs/promises'

/** Bytes of memory that a process holds now; 0 where there is no such process, or the system does not tell. */
export async function residentBytes(pid: number): Promise<number> {
  if (pid <= 0) return 0
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
