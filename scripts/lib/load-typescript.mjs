import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

import { importMetaGlob } from './import-meta-glob.mjs'
import { root, setupFolder } from './paths.mjs'

/**
 * The exports of a TypeScript file. It is bundled with the files that it imports; packages stay where they
 * are. The bundle is in .setup/bundles, two folders deep as test/perf is, so that __dirname leads from it
 * to the clone.
 * @param {string} file relative to the clone
 * @returns {Promise<Record<string, any>>}
 */
export async function loadTypeScript(file) {
  const { build } = await import('esbuild')
  const name = path.basename(file, '.ts')
  const outfile = path.join(setupFolder, 'bundles', `${name}.${process.pid}.cjs`)
  await build({
    absWorkingDir: root,
    entryPoints: [path.join(root, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [importMetaGlob],
  })
  try {
    return createRequire(import.meta.url)(outfile)
  } finally {
    fs.rmSync(outfile)
  }
}
