// `node scripts/lib/bundle-renderer.mjs FOLDER`: bundles the renderer into FOLDER; the last line printed is a JSON
// list of the modules read. A process of its own, since Vite sets NODE_ENV for whatever runs after it.
import { build } from 'vite'

import { root } from './paths.mjs'

const [outDir = ''] = process.argv.slice(2)
/** @type {Set<string>} */
const read = new Set()

/** @returns {import('vite').Plugin} */
const noteModules = () => ({
  name: 'note-modules',
  buildEnd() {
    for (const name of this.getModuleIds()) read.add(name)
  },
})

await build({
  root: `${root}/renderer`,
  configFile: `${root}/vite.config.ts`,
  configLoader: 'runner',
  logLevel: 'warn',
  plugins: [noteModules()],
  // Workers are bundles of their own, with plugins of their own.
  worker: { plugins: () => [noteModules()] },
  build: { outDir, emptyOutDir: true },
})
console.log(JSON.stringify([...read]))
