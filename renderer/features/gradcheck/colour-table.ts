import type { TensorStats } from '../../../electron/contract/tensor'
import { rgbAt, type ColourScale } from '../../shell/primitives/colour-map'

/** For what has no place on the scale; the readout says which it is. */
const notANumber = [214, 0, 190] as const
const steps = 512

/** The colours of a scale as pixels, looked up instead of computed: there are millions of them. */
export class ColourTable {
  private readonly table = new Uint32Array(steps + 1)
  private readonly special = pack(notANumber)

  constructor(readonly scale: ColourScale) {
    for (let i = 0; i <= steps; i += 1) this.table[i] = pack(rgbAt(scale.kind, i / steps))
  }

  /** As ImageData holds it, on a little-endian machine. */
  pixel(value: number): number {
    if (!Number.isFinite(value)) return this.special
    const { low, high, kind } = this.scale
    const shown = kind === 'sequential' ? Math.abs(value) : value
    const position = high > low ? (shown - low) / (high - low) : kind === 'sequential' ? 0 : 0.5
    const clipped = Math.min(Math.max(position, 0), 1)
    return this.table[Math.round(clipped * steps)] ?? this.special
  }

  isLight(value: number): boolean {
    return lightness(this.pixel(value)) > 118
  }
}

/** Whether black is read better on it than white; by Rec. 709's weights. */
function lightness(pixel: number): number {
  return 0.2126 * (pixel & 255) + 0.7152 * ((pixel >> 8) & 255) + 0.0722 * ((pixel >> 16) & 255)
}

function pack([red, green, blue]: readonly [number, number, number]): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}

function reach(stats: TensorStats): number {
  return Math.max(Math.abs(stats.min ?? 0), Math.abs(stats.max ?? 0))
}

/** Both Jacobians on one scale, centred on zero: equal values look equal. */
export function jacobianScale(analytical: TensorStats, numerical: TensorStats): ColourScale {
  const high = Math.max(reach(analytical), reach(numerical))
  return { kind: 'diverging', low: -high, high }
}

/** The error's magnitude from zero up. */
export function errorScale(error: TensorStats): ColourScale {
  return { kind: 'sequential', low: 0, high: reach(error) }
}
