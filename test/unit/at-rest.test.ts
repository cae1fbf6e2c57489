import { expect, it } from 'vitest'

import { atRest } from '../../electron/engine/bench/at-rest'

it('timing waits for what the workbench does by itself, and says for what', async () => {
  const work = [
    ['clangd reads the sources', 'the compile server starts'],
    ['clangd reads the sources'],
    [],
  ]
  const told: string[] = []
  let asked = 0
  await atRest(
    () => work[asked++] ?? [],
    (what) => told.push(what),
  )
  expect(told).toEqual([
    'clangd reads the sources, the compile server starts',
    'clangd reads the sources',
    '',
  ])
})

it('timing that has nothing to wait for says nothing', async () => {
  const told: string[] = []
  await atRest(
    () => [],
    (what) => told.push(what),
  )
  expect(told).toEqual([])
})

it('a stop ends the waiting', async () => {
  const stop = new AbortController()
  const told: string[] = []
  const waited = atRest(
    () => ['clangd reads the sources'],
    (what) => told.push(what),
    stop.signal,
  )
  stop.abort()
  await waited
  expect(told).toEqual(['clangd reads the sources', ''])
})
