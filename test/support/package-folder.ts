import fs from 'node:fs'
import path from 'node:path'

import { root } from './installation'

/** A folder as a package has it: the bundles and what they read, and no set-up of a clone. */
export function makePackageFolder(app: string): void {
  fs.mkdirSync(path.join(app, 'dist'), { recursive: true })
  for (const name of ['native', 'kernels', 'samples', 'templates', 'node_modules'])
    fs.symlinkSync(path.join(root, name), path.join(app, name))
  for (const name of ['package.json', 'CHANGELOG.md'])
    fs.copyFileSync(path.join(root, name), path.join(app, name))
  // Node follows a link to the file that it runs: the bundles are copied.
  for (const name of fs.readdirSync(path.join(root, 'dist'))) {
    const from = path.join(root, 'dist', name)
    const isBundle = fs.statSync(from).isFile() && /\.(cjs|node)$/.test(name)
    if (isBundle) fs.copyFileSync(from, path.join(app, 'dist', name))
    else if (!name.startsWith('.')) fs.symlinkSync(from, path.join(app, 'dist', name))
  }
}
