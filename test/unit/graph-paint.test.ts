import { describe, expect, it } from 'vitest'

import { paintItems } from '../../renderer/features/graph/paint/paint-boxes'
import { Picture } from '../../renderer/features/graph/paint/picture'
import type { Context } from '../../renderer/features/graph/paint/region'
import { boxMetrics, itemFlag } from '../../renderer/features/graph/scene'
import type { GraphPalette, PaintedScene, SceneOverlay } from '../../renderer/features/graph/scene'
import { coloursAt } from '../../renderer/shell/primitives/colour-map'

type Text = { text: string; left: number; right: number; top: number; bottom: number; fill: string }

/** Remembers where words are painted; a character is 0.6 of its height wide. */
class Recorder {
  readonly texts: Text[] = []
  font = '10px mono'
  textAlign = 'left'
  fillStyle = ''

  private get size(): number {
    return Number(/(\d+(\.\d+)?)px/.exec(this.font)?.[1])
  }

  measureText(text: string): { width: number } {
    return { width: 0.6 * this.size * text.length }
  }

  fillText(text: string, x: number, y: number): void {
    const { width } = this.measureText(text)
    const left = this.textAlign === 'center' ? x - width / 2 : x
    // Letters reach a little over a third of their size above and below the middle.
    const reach = 0.37 * this.size
    const box = { left, right: left + width, top: y - reach, bottom: y + reach }
    this.texts.push({ text, fill: this.fillStyle, ...box })
  }

  /** As the painter takes it: whatever else is drawn is forgotten. */
  asContext(): Context {
    return new Proxy(this, {
      get: (recorder, name) =>
        name in recorder
          ? typeof recorder[name as never] === 'function'
            ? (recorder[name as never] as () => void).bind(recorder)
            : recorder[name as never]
          : () => undefined,
    }) as unknown as Context
  }
}

const palette = new Proxy({} as GraphPalette, { get: (_, name) => String(name) })

const oneLine = boxMetrics.lineHeight + 2 * boxMetrics.padY
/** A box as narrow as they come, one of two lines, a custom operator. */
const boxes = [
  { title: 'add', detail: '', w: boxMetrics.minWidth, h: oneLine, flags: 0 },
  { title: 'matmul', detail: 'k = 2', w: 70, h: oneLine + boxMetrics.detailHeight, flags: 0 },
  { title: 'warp', detail: '', w: 90, h: oneLine, flags: itemFlag.custom },
]

function pictureOf(texts: string[], positions: number[]): Picture {
  const strings = boxes.flatMap(({ title, detail }) => [title, detail])
  const count = boxes.length
  const none = new Int32Array(count).fill(-1)
  const scene = {
    strings,
    items: {
      count,
      key: new Int32Array(count),
      x: new Float32Array(boxes.map((_, i) => 300 * i)),
      y: new Float32Array(count),
      w: new Float32Array(boxes.map(({ w }) => w)),
      h: new Float32Array(boxes.map(({ h }) => h)),
      prefix: none,
      title: new Int32Array(boxes.map((_, i) => 2 * i)),
      detail: new Int32Array(boxes.map(({ detail }, i) => (detail === '' ? -1 : 2 * i + 1))),
      flags: new Uint8Array(boxes.map(({ flags }) => flags)),
      change: new Uint8Array(count),
    },
    frames: { count: 0, x: none, y: none, w: none, h: none },
    edges: { count: 0 },
  } as unknown as PaintedScene
  const empty = new Float32Array(0)
  const frames = { x: empty, y: empty, w: empty, h: empty }
  const picture = new Picture({ ...scene, frames: { ...scene.frames, ...frames } })
  const overlay: SceneOverlay = {
    scene: 1,
    kind: 'time',
    position: new Float32Array(positions),
    text: new Int32Array(texts.map((_, i) => i)),
    alarm: new Uint8Array(count),
    strings: texts,
  }
  picture.overlay = overlay
  return picture
}

const region = { left: -10, top: -10, right: 2000, bottom: 200, zoom: 1 }

describe('the overlay of a graph', () => {
  it('every word stays in its box, in a colour with enough contrast', () => {
    const positions = [1, 0.5, 0]
    const recorder = new Recorder()
    const picture = pictureOf(['123.4 ms · 100 %', '1.2 ms · 34 %', 'no new memory'], positions)
    paintItems(recorder.asContext(), picture, { palette, ratio: 1 }, region)
    expect(recorder.texts.map(({ text }) => text)).toEqual([
      'add',
      expect.stringMatching(/^123/),
      'matmul',
      expect.stringMatching(/^1\.2 ms/),
      'warp',
      'no new memory',
    ])
    recorder.texts.forEach(({ text, left, right, top, bottom, fill }, place) => {
      const i = Math.floor(place / 2)
      const { w, h } = boxes[i] ?? { w: 0, h: 0 }
      expect(left, text).toBeGreaterThanOrEqual(300 * i)
      expect(right, text).toBeLessThanOrEqual(300 * i + w)
      expect(top, text).toBeGreaterThanOrEqual(0)
      expect(bottom, text).toBeLessThanOrEqual(h)
      expect(fill, text).toBe(coloursAt('sequential', positions[i] ?? 0).color)
    })
    // The title and the number below it do not touch.
    for (const i of [0, 2, 4]) {
      expect(recorder.texts[i]?.bottom).toBeLessThanOrEqual(recorder.texts[i + 1]?.top ?? 0)
    }
  })
})
