import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { noteVisible } from '../../renderer/store/layout'
import { main, show } from './support/window'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const memory = (): string | null => screen.getByTestId('settings-memory').textContent

it('Settings says what the helpers hold, and looks again while it is in front only', async () => {
  main.give('app.memory', { compileServer: 593_400_000, clangd: 0 })
  show('settings')
  await act(async () => {
    await Promise.resolve()
  })
  expect(memory()).toContain('compile server 593 MB, clangd not running')
  main.give('app.memory', { compileServer: 600_000_000, clangd: 494_000_000 })
  await act(async () => {
    await vi.advanceTimersByTimeAsync(2_000)
  })
  expect(memory()).toContain('compile server 600 MB, clangd 494 MB')
  const asked = main.asked('app.memory').length
  act(() => noteVisible('settings', false))
  await act(async () => {
    await vi.advanceTimersByTimeAsync(10_000)
  })
  expect(main.asked('app.memory')).toHaveLength(asked)
})

it('Settings keeps absolute folders that operators may write to, and says what is none', async () => {
  main.give('app.memory', { compileServer: 0, clangd: 0 })
  show('settings')
  const field = screen.getByTestId<HTMLTextAreaElement>('settings-writable-folders')
  fireEvent.change(field, { target: { value: 'data' } })
  fireEvent.blur(field)
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(main.asked('settings.set')).toHaveLength(0)
  fireEvent.change(field, { target: { value: '/data\n\n /results ' } })
  fireEvent.blur(field)
  await act(async () => {
    await Promise.resolve()
  })
  expect(main.asked('settings.set')).toEqual([{ writableFolders: ['/data', '/results'] }])
  fireEvent.click(screen.getByTestId('settings-sandbox'))
  await act(async () => {
    await Promise.resolve()
  })
  expect(main.asked('settings.set').at(-1)).toEqual({ sandbox: false })
  expect(field.disabled).toBe(true)
})

it('Settings says what a check for a newer version sends, and cannot switch it on without an address', async () => {
  main.give('app.memory', { compileServer: 0, clangd: 0 })
  main.give('version.address', { address: '' })
  const first = show('settings')
  await act(async () => {
    await Promise.resolve()
  })
  const box = (): HTMLInputElement => screen.getByTestId('settings-check-version')
  expect(box().disabled).toBe(true)
  expect(box().parentElement?.textContent).toContain(
    'this build of Opsmith contains no address for version checks',
  )
  first.unmount()

  main.give('version.address', { address: 'https://example.org/latest.json' })
  show('settings')
  await act(async () => {
    await Promise.resolve()
  })
  expect(box().disabled).toBe(false)
  expect(box().checked).toBe(false)
  expect(box().parentElement?.textContent).toContain(
    'at most once a day, Opsmith requests https://example.org/latest.json',
  )
  fireEvent.click(box())
  await act(async () => {
    await Promise.resolve()
  })
  expect(main.asked('settings.set').at(-1)).toEqual({ checkVersion: true })
})
