import { beforeEach, describe, expect, it, vi } from 'vitest'

import { Surface } from '../../renderer/features/graph/canvas/surface'

/** A canvas of 800 x 600 CSS pixels before a graph of this size; nothing is painted. */
function surfaceOf(width: number, height: number): Surface {
  const canvas = { getContext: () => null } as unknown as HTMLCanvasElement
  const surface = new Surface(canvas, 'main')
  surface.resize(800, 600, 1)
  surface.size = { left: 0, top: 0, width, height }
  return surface
}

const middleOf = ({ viewport }: Surface): { x: number; y: number } => ({
  x: viewport.x + 400 / viewport.zoom,
  y: viewport.y + 300 / viewport.zoom,
})

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
  vi.stubGlobal('cancelAnimationFrame', () => undefined)
})

describe('fitting a graph into its canvas', () => {
  it('a graph that can be read as a whole is shown as a whole', () => {
    const surface = surfaceOf(900, 700)
    surface.fit()
    expect(surface.viewport.zoom).toBeCloseTo((600 - 48) / 700)
    expect(middleOf(surface)).toEqual({ x: 450, y: 350 })
  })

  it('a deep graph is fitted to a width that can be read, around what was in view', () => {
    const surface = surfaceOf(1000, 100_000)
    surface.setViewport({ x: 0, y: 40_000, zoom: 1 })
    surface.fit()
    expect(surface.viewport.zoom).toBeCloseTo((800 - 48) / 1000)
    expect(middleOf(surface).x).toBeCloseTo(500)
    expect(middleOf(surface).y).toBeCloseTo(40_300)
    surface.fit()
    expect(surface.viewport.zoom, 'once more shows all of it').toBeCloseTo((600 - 48) / 100_000)
    surface.fit()
    expect(surface.viewport.zoom).toBeCloseTo((800 - 48) / 1000)
  })

  it('a graph that is too large in both directions stays readable, and no view leaves it', () => {
    const surface = surfaceOf(100_000, 100_000)
    surface.setViewport({ x: -9_000, y: 99_990, zoom: 0.01 })
    surface.fit()
    const { x, y, zoom } = surface.viewport
    expect(zoom).toBe(0.45)
    expect(x).toBeCloseTo(31_000 + 400 / 0.01 - 40_000 - 400 / 0.45)
    expect(y + 600 / zoom).toBeCloseTo(100_000 + 24 / zoom)
  })
})
