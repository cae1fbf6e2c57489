/** Addresses that the runtime reports, and their lines in the sources. */
import type { ModulePlace, SourcePlace } from '../../contract/gpu-findings'
import { locateOffsets } from '../host/symbolize'
import type { Located } from '../host/symbolize'

/** A command line has room for so many addresses. */
const mostOffsets = 4000

/** Frames of each place, the innermost first; none where nothing is known. */
export async function locateModulePlaces(
  places: readonly ModulePlace[],
): Promise<(place: ModulePlace) => readonly Located[]> {
  const byModule = new Map<string, Set<number>>()
  for (const place of places) {
    const offsets = byModule.get(place.module) ?? new Set()
    byModule.set(place.module, offsets.add(place.offset))
  }
  const found = new Map<string, Located[]>()
  for (const [module, offsets] of byModule) {
    const all = [...offsets]
    for (let first = 0; first < all.length; first += mostOffsets) {
      const list = all.slice(first, first + mostOffsets)
      const frames = await locateOffsets(
        module,
        list.map((offset) => BigInt(offset)),
      )
      list.forEach((offset, index) => {
        found.set(`${module}\0${offset}`, frames[index] ?? [])
      })
    }
  }
  return ({ module, offset }) => found.get(`${module}\0${offset}`) ?? []
}

/** The innermost line that is neither in our headers nor in those of the system. */
export function ownLine(frames: readonly Located[], ownFolder: string): SourcePlace {
  const isForeign = (file: string): boolean =>
    file.startsWith(ownFolder) || file.startsWith('/usr/')
  const frame =
    frames.find(({ file }) => file !== undefined && !isForeign(file)) ??
    frames.find(({ file }) => file !== undefined)
  return { file: frame?.file ?? '', line: frame?.line ?? 0 }
}
