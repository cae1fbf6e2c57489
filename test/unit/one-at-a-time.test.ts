import { describe, expect, it } from 'vitest'

import { oneAtATime } from '../../electron/session/one-at-a-time'

/** Reads a value, and tells it to `seen` as late as the test says. */
function slowReader(): {
  state: { value: string }
  seen: string[]
  finish: (() => void)[]
  read: () => Promise<void>
} {
  const state = { value: '' }
  const seen: string[] = []
  const finish: (() => void)[] = []
  const read = async (): Promise<void> => {
    const { value } = state
    await new Promise<void>((resolve) => finish.push(resolve))
    seen.push(value)
  }
  return { state, seen, finish, read }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('work that is done one at a time', () => {
  it('a slow run never has the last word over a newer one', async () => {
    const { state, seen, finish, read } = slowReader()
    const again = oneAtATime(read)
    state.value = 'old'
    const first = again()
    state.value = 'new'
    const second = again()
    const third = again()
    await turn()
    expect(finish).toHaveLength(1)
    finish[0]?.()
    await first
    await turn()
    finish[1]?.()
    await Promise.all([second, third])
    expect(seen).toEqual(['old', 'new'])
  })

  it('a run that fails fails for who asked, and the next one runs', async () => {
    let runs = 0
    const again = oneAtATime(async () => {
      runs += 1
      await turn()
      if (runs === 1) throw new Error('no space')
    })
    const first = again()
    const second = again()
    await expect(first).rejects.toThrow('no space')
    await second
    expect(runs).toBe(2)
    await again()
    expect(runs).toBe(3)
  })
})
