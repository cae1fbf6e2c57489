import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Every step of set-up in a fresh clone with an empty cache; system packages as they are here. */
export async function runSetup(options: BenchmarkOptions): Promise<Row[]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-cold-'))
  const clone = path.join(home, 'opsmith')
  const wait = (
    command: string,
    args: string[],
    cwd: string,
    onText: (text: string) => void,
  ): Promise<number> =>
    new Promise((resolve) => {
      const environment = Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !name.startsWith('OPSMITH_')),
      )
      const child = spawn(command, args, {
        cwd,
        env: { ...environment, XDG_CACHE_HOME: path.join(home, 'cache') },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', onText)
      child.once('close', (code) => {
        resolve(code ?? 1)
      })
    })
  try {
    await wait('git', ['clone', '-q', options.root, clone], home, () => undefined)
    let log = ''
    const started = performance.now()
    const code = await wait(process.execPath, ['scripts/setup.mjs'], clone, (text) => {
      log += text
      options.say(text.trimEnd())
    })
    if (code !== 0) throw new Error(`set-up failed:\n${log.slice(-2000)}`)
    const rows: Row[] = []
    for (const match of log.matchAll(/^\[\d+\/\d+\] (.+?) … .*?([\d.]+) s\b/gm)) {
      rows.push(row(`set-up: ${match[1] ?? ''}`, 's', [Number(match[2])]))
    }
    rows.push(row('set-up, all of it', 's', [(performance.now() - started) / 1000]))
    return rows
  } finally {
    fs.rmSync(home, { recursive: true, force: true })
  }
}

export { runSetup as run }
