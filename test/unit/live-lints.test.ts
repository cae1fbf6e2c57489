import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { ok } from '../../electron/contract/outcome'
import { followLints } from '../../renderer/editor/live-lints'
import { registerFeatures } from '../../renderer/store/feature'
import { filesStore } from '../../renderer/store/files'
import { createJob } from '../../renderer/store/job'
import { connectMain } from '../support/main-process'
import { openInWindow } from '../support/open-in-window'

const { edit, model } = vi.hoisted(() => {
  const listeners: (() => void)[] = []
  return {
    edit: () => {
      for (const listener of listeners) listener()
    },
    model: {
      getLanguageId: () => 'cpp',
      onDidChangeContent: (listener: () => void) => listeners.push(listener),
    },
  }
})
vi.mock('../../renderer/editor/monaco', () => ({
  monaco: { editor: { onDidCreateModel: (made: (one: unknown) => void) => made(model) } },
}))
vi.mock('../../renderer/editor/models', () => ({
  pathOf: () => 'op.cpp',
  modelOf: () => model,
  textOf: () => '',
}))

const main = connectMain()
let end: () => void

/** Work that the user asked for, which goes on until end(). */
const job = createJob<null, null>({
  kind: 'asked',
  latest: 'waits',
  run: () =>
    new Promise((resolve) => {
      end = () => {
        resolve(ok(null))
      }
    }),
})

const asked = (): number => main.asked('lint.project').length
const save = (): void => {
  filesStore.setState(({ sourceRevision }) => ({ sourceRevision: sourceRevision + 1 }))
}

beforeEach(async () => {
  vi.useFakeTimers()
  registerFeatures([{ id: 'work', title: 'Work', jobs: [job] }])
  main.give('lint.project', [])
  followLints()
  openInWindow('/project', {}, [{ path: 'op.cpp', role: 'source' }])
  await vi.advanceTimersByTimeAsync(1_000)
})
afterEach(() => {
  vi.useRealTimers()
})

it('after a save, lints wait until what was asked for has ended; what is typed is linted at once', async () => {
  const before = asked()
  const work = job.run(null)
  await vi.advanceTimersByTimeAsync(0)
  save()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked()).toBe(before)

  edit()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked()).toBe(before + 1)

  save()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked()).toBe(before + 1)
  end()
  await work
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked()).toBe(before + 2)
})
