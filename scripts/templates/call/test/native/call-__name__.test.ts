import { describe, expect, it } from 'vitest'

import { failureOf, loadAddon } from './fixture'

describe('the call __call__', () => {
  it('the answer is the sum of the values', async () => {
    expect(await loadAddon().call('__call__', { values: [1, 2, 3.5] })).toEqual({ sum: 6.5 })
  })

  it('a value that is not a number is refused', async () => {
    const wrong = { values: ['one'] } as unknown as { values: number[] }
    const failure = await failureOf(loadAddon().call('__call__', wrong))
    expect(failure.message).toContain('values')
  })
})
