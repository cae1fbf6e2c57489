// The folder of a release: the packages, their checksums, the list of what they contain, and the release notes.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { bundledPackages } from '../build.mjs'
import { makeTemporaryFolder, readJson, removeLeftovers, replaceFolder } from '../lib/files.mjs'
import { root } from '../lib/paths.mjs'
import { commitTime } from '../package/archives.mjs'
import { changesOf } from './checks.mjs'
import { bundledParts } from './parts.mjs'
import { sbomOf } from './sbom.mjs'

/** SHA256SUMS of the files in a folder, as `sha256sum --check` reads it. */
export function writeChecksums(folder) {
  const lines = fs
    .readdirSync(folder)
    .sort()
    .map((name) => {
      const bytes = fs.readFileSync(path.join(folder, name))
      return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
    })
  fs.writeFileSync(path.join(folder, 'SHA256SUMS'), lines.join(''))
}

/**
 * @param {string} version
 * @param {string[]} packages the files, which stay where they are
 * @returns {string} the folder; what an earlier run made there is replaced
 */
export function makeReleaseFolder(version, packages) {
  const target = path.join(root, 'release', version)
  removeLeftovers(target)
  const folder = makeTemporaryFolder(target)
  for (const file of packages)
    fs.copyFileSync(file, path.join(folder, path.basename(file)), fs.constants.COPYFILE_FICLONE)
  const project = readJson(path.join(root, 'package.json'))
  const sbom = sbomOf({
    project,
    time: new Date(commitTime() * 1000).toISOString(),
    packages: bundledPackages(),
    lock: readJson(path.join(root, 'package-lock.json')).packages,
    parts: bundledParts(version),
  })
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), `${text}\n`)
  write(`opsmith-${version}.cdx.json`, JSON.stringify(sbom, null, 2))
  write('RELEASE-NOTES.md', changesOf(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version))
  write('latest.json', JSON.stringify({ version }))
  writeChecksums(folder)
  replaceFolder(folder, target)
  return target
}
