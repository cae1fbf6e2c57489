import { describe, expect, it } from 'vitest'

describe('__name__', () => {
  it('says here what holds', () => {
    expect('__camel__').toBe('not written yet')
  })
})
