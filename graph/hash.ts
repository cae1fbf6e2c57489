/** Mixes an integer into a running 32-bit hash (the finaliser of MurmurHash3 after an FNV-like step). */
export function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** 32-bit FNV-1a over UTF-16 units. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let h = seed
  for (let index = 0; index < text.length; index += 1) {
    h ^= text.charCodeAt(index)
    h = Math.imul(h, 0x01000193)
  }
  return h >>> 0
}
