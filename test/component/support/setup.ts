import { configure } from '@testing-library/react'
import { vi } from 'vitest'

// Waiting takes as long as it takes on a busy machine: the limit is there for what never comes.
configure({ asyncUtilTimeout: 15_000 })

/**
 * The DOM of these tests has no layout and no canvas. End-to-end tests look at pictures; here a chart draws into a
 * canvas that forgets everything.
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

/** jsdom knows styles and no boxes. */
Element.prototype.checkVisibility = function (): boolean {
  for (let element: Element | null = this; element; element = element.parentElement)
    if (getComputedStyle(element).display === 'none') return false
  return getComputedStyle(this).visibility !== 'hidden'
}
