import { expect, it } from 'vitest'

import { RecentEnds } from '../../electron/main/recent-ends'

it('a window that ends four times within a minute is not started again without a question', () => {
  const ends = new RecentEnds()
  expect([0, 10_000, 20_000].map((now) => ends.note(now))).toEqual([0, 0, 0])
  expect(ends.note(30_000)).toBe(4)
  // The first is a minute old.
  expect(ends.note(65_000)).toBe(4)
  expect(ends.note(200_000)).toBe(0)
})
