import { describe, expect, it } from 'vitest'

import { NewestOfEach } from '../../electron/session/newest-of-each'

describe('the newest of each name', () => {
  it('is sent when the one before has arrived, and those between are left out', async () => {
    const newest = new NewestOfEach()
    const sent: string[] = []
    const arrivals: (() => void)[] = []
    const send = (name: string, text: string): void => {
      newest.send(name, async () => {
        sent.push(text)
        await new Promise<void>((resolve) => arrivals.push(resolve))
      })
    }
    for (const text of ['a1', 'a2', 'a3']) send('a', text)
    send('b', 'b1')
    expect(sent).toEqual(['a1', 'b1'])
    arrivals[0]?.()
    await expect.poll(() => sent).toEqual(['a1', 'b1', 'a3'])
    arrivals[2]?.()
    await expect.poll(() => arrivals.length).toBe(3)
    send('a', 'a4')
    await expect.poll(() => sent).toEqual(['a1', 'b1', 'a3', 'a4'])
  })
})
