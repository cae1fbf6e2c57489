import { paintFrameNames, paintFrames, paintItems } from './paint-boxes'
import { paintEdgeLabels, paintEdges } from './paint-edges'
import type { PictureStyle, Picture } from './picture'
import type { Context, Region } from './region'

/**
 * Paints a part of the world onto a canvas of `width` x `height` device pixels: `left`, `top` is the
 * world's point at its corner, `scale` device pixels a world unit.
 */
export function paintRegion(
  context: Context,
  picture: Picture | null,
  look: PictureStyle,
  place: { left: number; top: number; scale: number; width: number; height: number },
): void {
  const { left, top, scale, width, height } = place
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.fillStyle = look.palette.background
  context.fillRect(0, 0, width, height)
  if (!picture) return
  context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale)
  // Borders, badges and shadows reach out of their boxes.
  const margin = 12
  const region: Region = {
    left: left - margin,
    top: top - margin,
    right: left + width / scale + margin,
    bottom: top + height / scale + margin,
    zoom: scale / look.ratio,
  }
  paintFrames(context, picture, look, region)
  paintEdges(context, picture, look, region)
  paintFrameNames(context, picture, look, region)
  paintItems(context, picture, look, region)
  paintEdgeLabels(context, picture, look, region)
}
