type Views = typeof import('./views')

let loaded: Views | null = null

/** What draws terminals, once the first was opened: a window that opens none does not load it. */
export function views(): Views | null {
  return loaded
}

export async function loadViews(): Promise<Views> {
  loaded ??= await import('./views')
  return loaded
}
