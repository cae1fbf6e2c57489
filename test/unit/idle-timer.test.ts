import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { IdleTimer } from '../../electron/engine/idle-timer'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('helpers rest once after a while without touch, and are woken by the first touch after it', () => {
  const told: string[] = []
  const timer = new IdleTimer(1_000, {
    onIdle: () => told.push('idle'),
    onWake: () => told.push('wake'),
  })
  timer.touch()
  vi.advanceTimersByTime(900)
  timer.touch()
  vi.advanceTimersByTime(900)
  expect(told).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual(['idle'])
  timer.touch()
  timer.touch()
  expect(told).toEqual(['idle', 'wake'])
  timer.stop()
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual(['idle', 'wake'])
})
