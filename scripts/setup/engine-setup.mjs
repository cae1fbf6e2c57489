/** @type {Promise<Record<string, any>> | undefined} */
let loaded

async function load() {
  // Not before npm's packages are installed: set-up itself imports this file.
  const { loadTypeScript } = await import('../lib/load-typescript.mjs')
  return await loadTypeScript('electron/engine/setup/index.ts')
}

/** What set-up of a clone has in common with `opsmith setup` of a package. Needs npm's packages. */
export function engineSetup() {
  loaded ??= load()
  return loaded
}
