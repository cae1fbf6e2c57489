import { useEffect, useRef, useState, type PointerEvent, type ReactElement } from 'react'

import type { Surface } from './canvas/surface'

const widest = 168
const tallest = 120

/** All of the graph, and which part of it is in view; a drag moves there. */
export function Minimap({ surface }: { surface: Surface }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isNeeded, setNeeded] = useState(false)

  useEffect(() => {
    let due = 0
    let picture: ImageBitmap | null = null
    const draw = (): void => {
      due = 0
      const needed = !showsAll(surface)
      setNeeded(needed)
      if (canvas.current && needed) paint(canvas.current, surface, picture)
    }
    const soon = (): void => {
      if (due === 0) due = requestAnimationFrame(draw)
    }
    const stop = surface.watch(soon)
    surface.onOverview = (overview) => {
      // Made small once: it is drawn with every move.
      const { width, height } = mapSize(surface)
      const size = { resizeWidth: Math.round(width), resizeHeight: Math.round(height) }
      void createImageBitmap(overview, { ...size, resizeQuality: 'high' }).then((small) => {
        picture?.close()
        picture = small
        soon()
      })
    }
    soon()
    return () => {
      stop()
      cancelAnimationFrame(due)
      picture?.close()
      surface.onOverview = () => undefined
    }
  }, [surface])

  const go = (event: PointerEvent): void => {
    const element = canvas.current
    if (!element || event.buttons !== 1) return
    element.setPointerCapture(event.pointerId)
    const box = element.getBoundingClientRect()
    const { scale } = mapSize(surface)
    const { left, top } = surface.size
    const { zoom } = surface.viewport
    surface.wasMoved = true
    surface.setViewport({
      x: left + (event.clientX - box.left) / scale - surface.cssWidth / zoom / 2,
      y: top + (event.clientY - box.top) / scale - surface.cssHeight / zoom / 2,
      zoom,
    })
  }
  return (
    <canvas
      ref={canvas}
      className="graph-minimap"
      style={isNeeded ? {} : { visibility: 'hidden' }}
      aria-hidden="true"
      onPointerDown={go}
      onPointerMove={go}
    />
  )
}

/** Device pixels; `scale` CSS pixels a world unit. Long thin graphs keep a width one can point at. */
function mapSize(surface: Surface): { width: number; height: number; scale: number } {
  const { width, height } = surface.size
  const scale = Math.min(widest / Math.max(width, 1), tallest / Math.max(height, 1))
  const ratio = window.devicePixelRatio
  return {
    width: Math.max(16, width * scale) * ratio,
    height: Math.max(16, height * scale) * ratio,
    scale,
  }
}

function showsAll(surface: Surface): boolean {
  const { viewport, size } = surface
  return (
    size.width === 0 ||
    (viewport.x <= size.left &&
      viewport.y <= size.top &&
      viewport.x + surface.cssWidth / viewport.zoom >= size.left + size.width &&
      viewport.y + surface.cssHeight / viewport.zoom >= size.top + size.height)
  )
}

function paint(canvas: HTMLCanvasElement, surface: Surface, picture: ImageBitmap | null): void {
  const { palette } = surface
  const size = mapSize(surface)
  const ratio = window.devicePixelRatio
  const width = Math.round(size.width)
  const height = Math.round(size.height)
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
    canvas.style.width = `${width / ratio}px`
    canvas.style.height = `${height / ratio}px`
  }
  const context = canvas.getContext('2d', { alpha: false })
  if (!context || !palette) return
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.fillStyle = palette.background
  context.fillRect(0, 0, width, height)
  if (picture) context.drawImage(picture, 0, 0)
  const { viewport } = surface
  const scale = size.scale * ratio
  const x = Math.max((viewport.x - surface.size.left) * scale, 0.75)
  const y = Math.max((viewport.y - surface.size.top) * scale, 0.75)
  const right = (viewport.x - surface.size.left + surface.cssWidth / viewport.zoom) * scale
  const bottom = (viewport.y - surface.size.top + surface.cssHeight / viewport.zoom) * scale
  const w = Math.max(3, Math.min(right, width - 0.75) - x)
  const h = Math.max(3, Math.min(bottom, height - 0.75) - y)
  context.fillStyle = palette.accent
  context.globalAlpha = 0.15
  context.fillRect(x, y, w, h)
  context.globalAlpha = 1
  context.strokeStyle = palette.accent
  context.lineWidth = 1.5 * ratio
  context.strokeRect(x, y, w, h)
}
