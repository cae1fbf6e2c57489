/** Where somebody was: a line of a file, or a panel that led to one. */
export type Place = FilePlace | PanelPlace
export type FilePlace = { kind: 'file'; path: string; line: number; column: number }
export type PanelPlace = { kind: 'panel'; id: string; element: WeakRef<Element> }

/** A caret that moves less than this is still at the same place. */
const sameLines = 10
const most = 50

let places: Place[] = []
/** The index of the place where the user is. */
let at = -1

/** The user has come to this place: what was ahead of it is forgotten. */
export function notePlace(place: Place): void {
  const here = places[at]
  if (here && isSame(here, place)) {
    places[at] = place
    return
  }
  places = [...places.slice(0, at + 1), place].slice(-most)
  at = places.length - 1
}

function isSame(one: Place, other: Place): boolean {
  if (one.kind === 'panel' || other.kind === 'panel')
    return one.kind === other.kind && 'id' in one && 'id' in other && one.id === other.id
  return one.path === other.path && Math.abs(one.line - other.line) <= sameLines
}

/** The place where the user is, as far as it is known. */
export function currentPlace(): Place | null {
  return places[at] ?? null
}

/**
 * Goes one place back or forward.
 * @param canShow a place that is gone is passed over
 * @returns null at the end of the list
 */
export function stepPlace(step: 1 | -1, canShow: (place: Place) => boolean): Place | null {
  for (let index = at + step; index >= 0 && index < places.length; index += step) {
    const place = places[index]
    if (!place || !canShow(place)) continue
    at = index
    return place
  }
  return null
}

/** Whether stepPlace() leads anywhere. */
export function hasPlace(step: 1 | -1): boolean {
  return places[at + step] !== undefined
}

export function forgetPlaces(): void {
  places = []
  at = -1
}
