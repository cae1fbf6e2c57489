import { loadTypeScript } from '../lib/load-typescript.mjs'

/** @type {Promise<Record<string, any>> | undefined} */
let loaded

/** What set-up of a clone has in common with `opsmith setup` of a package. Needs npm's packages. */
export function engineSetup() {
  loaded ??= loadTypeScript('electron/engine/setup/index.ts')
  return loaded
}
