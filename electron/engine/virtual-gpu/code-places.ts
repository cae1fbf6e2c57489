/** Addresses that the runtime reports, and their lines in the sources. */
import type { ModulePlace, SourcePlace } from '../../contract/gpu-findings'
import { absoluteFile, locateOffsets } from '../host/symbolize'
import type { Located } from '../host/symbolize'

/** A command line has room for so many addresses. */
const mostOffsets = 4000

/** Whose code ran. */
export interface CodeOwner {
  /** Of this installation, whose own lines are no user's. */
  root: string
  /** The project's folder. Its libraries name their sources relative to it. "" for a program, whose paths are absolute. */
  folder: string
}

/** A place that code names itself, with the file that its user has. */
export function placeOfSite({ file, line }: SourcePlace, { folder }: CodeOwner): SourcePlace {
  return { file: absoluteFile(file, folder === '' ? [] : [folder]), line }
}

/** Frames of each place, the innermost first; none where nothing is known. */
export async function locateModulePlaces(
  places: readonly ModulePlace[],
  owner: CodeOwner,
): Promise<(place: ModulePlace) => readonly Located[]> {
  const byModule = new Map<string, Set<number>>()
  for (const place of places) {
    const offsets = byModule.get(place.module) ?? new Set()
    byModule.set(place.module, offsets.add(place.offset))
  }
  const found = new Map<string, Located[]>()
  // Most frames name one of a few files.
  const files = new Map<string, string>()
  const absolute = (file: string): string => {
    const known = files.get(file) ?? placeOfSite({ file, line: 0 }, owner).file
    files.set(file, known)
    return known
  }
  for (const [module, offsets] of byModule) {
    const all = [...offsets]
    for (let first = 0; first < all.length; first += mostOffsets) {
      const list = all.slice(first, first + mostOffsets)
      const frames = await locateOffsets(
        module,
        list.map((offset) => BigInt(offset)),
      )
      list.forEach((offset, index) => {
        const placed = (frames[index] ?? []).map((frame) =>
          frame.file === undefined ? frame : { ...frame, file: absolute(frame.file) },
        )
        found.set(`${module}\0${offset}`, placed)
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
