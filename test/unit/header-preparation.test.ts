import { beforeEach, expect, it, vi } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { HeaderPreparation } from '../../electron/engine/builds/header-preparation'

type Prepared = Result<{ seconds: number; made: number }>
interface Options {
  signal: AbortSignal
  isBackground?: boolean
}

/** Of compilers that run until they are ended, or until `finish`. */
const compilers = vi.hoisted(() => ({
  events: [] as string[],
  finish: (): void => undefined,
}))

vi.mock('../../electron/engine/compile/compile-tools', () => ({ compileTools: () => ({}) }))
vi.mock('../../electron/engine/compile/prepare', () => ({
  prepareTools: async (_tools: object, { signal, isBackground }: Options): Promise<Prepared> => {
    const name = isBackground === true ? 'background' : 'foreground'
    compilers.events.push(`${name} begins`)
    const finished = new Promise<boolean>((resolve) => {
      compilers.finish = (): void => resolve(true)
      signal.addEventListener('abort', () => setTimeout(resolve, 5, false))
    })
    const isWhole = await finished
    compilers.events.push(`${name} ${isWhole ? 'ends' : 'is stopped'}`)
    return isWhole ? ok({ seconds: 1, made: 3 }) : err('cancelled', 'stopped')
  },
}))

type Services = ConstructorParameters<typeof HeaderPreparation>[0]
let headers: HeaderPreparation
beforeEach(() => {
  compilers.events = []
  const projects = { toolchain: () => Promise.resolve(ok({})) }
  headers = new HeaderPreparation({ installation: {}, projects } as unknown as Services, {})
})

/** Until what waits for promises alone has gone on. */
const settle = async (): Promise<unknown> => await new Promise((resolve) => setTimeout(resolve, 1))

it('set-up ends what the background makes before it begins, and nothing begins there until it has ended', async () => {
  const inBackground = headers.prepareInBackground()
  await settle()
  const setUp = headers.withoutBackground(async () => {
    compilers.events.push('set-up begins')
    expect(await headers.prepareInBackground()).toEqual(ok({ seconds: 0, made: 0 }))
    compilers.events.push('set-up ends')
    return 'done'
  })
  expect(await setUp).toBe('done')
  // What set-up makes is no failure of the background.
  expect(await inBackground).toEqual(ok({ seconds: 0, made: 0 }))
  expect(compilers.events).toEqual([
    'background begins',
    'background is stopped',
    'set-up begins',
    'set-up ends',
  ])
  const later = headers.prepareInBackground()
  await settle()
  compilers.finish()
  expect(await later).toEqual(ok({ seconds: 1, made: 3 }))
})

it('what somebody waits for is not ended by set-up, and closing ends everything', async () => {
  const asked = headers.prepare()
  await settle()
  await headers.withoutBackground(() => Promise.resolve())
  expect(compilers.events).toEqual(['foreground begins'])
  headers.close()
  expect(await asked).toMatchObject({ ok: false, error: { code: 'cancelled' } })
})

it('a set-up that fails lets the background begin again', async () => {
  const failing = headers.withoutBackground(() => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  const later = headers.prepareInBackground()
  await settle()
  expect(compilers.events).toEqual(['background begins'])
  headers.close()
  await later
})
