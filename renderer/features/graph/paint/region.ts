export type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D

/** A part of the world, and how large it is seen. */
export type Region = {
  left: number
  top: number
  right: number
  bottom: number
  /** CSS pixels a world unit. */
  zoom: number
}
