import { vi } from 'vitest'

/**
 * What the DOM of these tests has not: sizes of elements and a canvas. Pictures are looked at by the end-to-end
 * tests; here a chart draws into a canvas that forgets everything.
 */
const forgetful = new Proxy<Record<string | symbol, unknown>>(
  {},
  {
    get: (values, name) => {
      if (name in values) return values[name]
      if (name === 'measureText') return (text: string) => ({ width: 7 * text.length })
      return () => forgetful
    },
    set: (values, name, value) => {
      values[name] = value
      return true
    },
  },
)
HTMLCanvasElement.prototype.getContext = (() => forgetful) as never
vi.stubGlobal(
  'Path2D',
  class {
    moveTo = (): void => undefined
    lineTo = (): void => undefined
    rect = (): void => undefined
    arc = (): void => undefined
    closePath = (): void => undefined
  },
)
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 800 })
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
