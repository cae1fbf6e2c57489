import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import fs from 'node:fs'

import { afterEach, expect, it } from 'vitest'

import { atRest } from '../../electron/engine/at-rest'
import type { OwnWork } from '../../electron/engine/at-rest'

const reads = { what: 'clangd reads the sources', busy: true, pid: 0 }
const starts = { what: 'the compile server starts', busy: true, pid: 0 }

const started: ChildProcess[] = []

/** A process that ends with its test, also where an assertion throws. */
function start(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args)
  started.push(child)
  return child
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

async function told(ownWork: () => readonly OwnWork[]): Promise<string[]> {
  const said: string[] = []
  await atRest(ownWork, (what) => said.push(what))
  return said
}

it("a timing waits for the workbench's own work and reports what it waits for", async () => {
  const looks = [[reads, starts], [reads, { ...starts, busy: false }], []]
  let asked = 0
  expect(await told(() => looks[asked++] ?? [])).toEqual([
    'clangd reads the sources, the compile server starts',
    'clangd reads the sources',
    '',
  ])
})

it('a timing with nothing to wait for reports nothing', async () => {
  expect(await told(() => [])).toEqual([])
  const asleep = start('sleep', ['600'])
  const state = (): string | undefined =>
    fs.readFileSync(`/proc/${asleep.pid ?? 0}/stat`, 'utf8').split(') ')[1]?.[0]
  // Until then it starts, which is work.
  await expect.poll(state).toBe('S')
  expect(await told(() => [{ ...reads, busy: false, pid: asleep.pid ?? 0 }])).toEqual([])
})

it('a timing waits for a child process that works without reporting it', async () => {
  const child = start(process.execPath, ['-e', "process.stdout.write('begun'); for (;;);"])
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  let asked = 0
  const said = await told(() => {
    asked += 1
    if (asked === 3) child.kill()
    return asked < 5 ? [{ ...reads, busy: false, pid: child.pid ?? 0 }] : []
  })
  expect(said).toEqual(['clangd reads the sources', ''])
  expect(asked).toBeGreaterThanOrEqual(3)
})

it('stopping ends the wait', async () => {
  const stop = new AbortController()
  const said: string[] = []
  const onWait = (what: string): void => {
    said.push(what)
    stop.abort()
  }
  await atRest(() => [reads], onWait, stop.signal)
  expect(said).toEqual(['clangd reads the sources', ''])
})
