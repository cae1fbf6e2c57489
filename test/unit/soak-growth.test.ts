import { expect, it } from 'vitest'

import { grown, growthOf } from '../soak/growth'

it('what grows by a little at each mark is found, what jumps up and down around a value is not', () => {
  const leak = Array.from({ length: 20 }, (_, mark) => 100 + 3 * mark + (mark % 2 === 0 ? 4 : -4))
  expect(growthOf(leak)).toBeGreaterThan(45)
  expect(growthOf(leak)).toBeLessThan(65)
  const level = [68, 93, 87, 87, 89, 75, 108, 87, 80, 67, 93, 94]
  expect(Math.abs(growthOf(level))).toBeLessThan(10)
  const figure = { unit: 'MB' as const, slack: 40 }
  const found = grown([
    { name: 'memory of main', values: leak, ...figure },
    { name: 'memory of renderer', values: level, ...figure },
  ])
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(/^memory of main grew by \d+ MB; 40 are fine: 104, 99/)
  // One mark says nothing.
  expect(growthOf([100])).toBe(0)
})
