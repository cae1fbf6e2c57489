import { layoutStore } from '../store/layout'

/** Where the keyboard was: an element, and its ancestors with the place of each child on the way to it. */
type Place = { element: HTMLElement; path: readonly Step[] }
type Step = { parent: Element; index: number }

/** A part of the window that comes and goes as a whole. */
const part = 'dialog, [role="dialog"], [role="menu"], .tool, .file-panel, .toolbar'
/** What is behind all parts. A page that comes takes the keyboard itself. */
const page = '.welcome, .page-frame, .workbench'
const focusable =
  'a[href], input, select, textarea, summary, button, [contenteditable="true"], [tabindex]'

const mostPlaces = 30

/** The places of the keyboard, the newest last. */
let places: Place[] = []
/** The user left the last place without going to another: a click on nothing. */
let isLeft = false

/**
 * If the element that has the keyboard is removed or hidden, the browser gives the keyboard to none: keys do nothing,
 * and Tab begins at the top of the window. From now on the element's neighbour takes the keyboard. If a whole part of the
 * window is gone, such as a dialog, the place before it does; if that is gone too, the panel in front. An element that
 * is disabled while it works gets the keyboard back.
 * @returns ends this
 */
export function keepFocus(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const check = (): void => {
    if (timer !== undefined || !isFree()) return
    // Whoever removed the element may give the keyboard to another in this turn.
    timer = setTimeout(() => {
      timer = undefined
      if (isFree()) giveFocus()
    }, 0)
  }
  const enters = ({ target }: FocusEvent): void => {
    isLeft = false
    if (target instanceof HTMLElement) notePlace(target)
  }
  const leaves = ({ target }: FocusEvent): void => {
    setTimeout(() => {
      if (isFree() && target instanceof Element && canTake(target)) isLeft = true
    }, 0)
    check()
  }
  const observer = new MutationObserver(check)
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'open'],
  })
  document.addEventListener('focusin', enters)
  document.addEventListener('focusout', leaves)
  return () => {
    observer.disconnect()
    clearTimeout(timer)
    document.removeEventListener('focusin', enters)
    document.removeEventListener('focusout', leaves)
    places = []
  }
}

function isFree(): boolean {
  return document.activeElement === document.body || document.activeElement === null
}

function notePlace(element: HTMLElement): void {
  const path: Step[] = []
  for (let child: Element = element; child.parentElement; child = child.parentElement) {
    path.push({
      parent: child.parentElement,
      index: [...child.parentElement.children].indexOf(child),
    })
  }
  const others = places.filter((place) => place.element !== element)
  places = [...others, { element, path }].slice(-mostPlaces)
}

function giveFocus(): void {
  const last = places.at(-1)
  if (!last || isLeft) return
  if (isShown(last.element)) {
    if (canTake(last.element)) last.element.focus()
    return
  }
  if (last.path.some(({ parent }) => parent.matches(page) && !parent.isConnected)) {
    places = []
    return
  }
  const whole = last.path.find(({ parent }) => parent.matches(part))?.parent
  if (whole instanceof HTMLElement && isShown(whole)) {
    enterPart(whole, last)
    return
  }
  const before = places.slice(0, -1).toReversed()
  const place = before.find(({ element }) => canTake(element))
  if (place) place.element.focus()
  else layoutStore.getState().dock?.focusActive()
}

/** What is now at the place of an element that is gone; the part itself if nothing is left in it. */
function enterPart(whole: HTMLElement, { path }: Place): void {
  for (const { parent, index } of path) {
    const children = isShown(parent) ? [...parent.children] : []
    for (const child of [...children.slice(index), ...children.slice(0, index).toReversed()]) {
      const found = [child, ...child.querySelectorAll(focusable)].find(canTake)
      if (found) {
        found.focus()
        return
      }
    }
    if (parent === whole) break
  }
  whole.tabIndex = -1
  whole.focus()
}

function isShown(element: Element): boolean {
  return element.isConnected && element.checkVisibility({ visibilityProperty: true })
}

/** The element would get the keyboard from Tab, or from the arrow keys of its list. */
export function canTake(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.matches(focusable) &&
    !element.matches(':disabled') &&
    isShown(element)
  )
}

/**
 * What Tab comes to first in a part of the window.
 * @param except what does not count
 */
export function firstIn(part: Element, except = ':not(*)'): HTMLElement | undefined {
  return [part, ...part.querySelectorAll('*')].find(
    (element): element is HTMLElement =>
      canTake(element) && element.tabIndex >= 0 && !element.matches(except),
  )
}
