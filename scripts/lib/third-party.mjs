// The notices of the npm packages that the bundles hold: their licences ask for them where the code goes.
import fs from 'node:fs'
import path from 'node:path'

import { readJson } from './files.mjs'
import { root } from './paths.mjs'

/** "zod", "@scope/name", "a/node_modules/b" of a package that has its own version of another. */
const packageFolder = /node_modules\/((?:@[^/]+\/)?[^/]+(?:\/node_modules\/(?:@[^/]+\/)?[^/]+)*)/

/**
 * The folders in node_modules of the packages that modules belong to, sorted.
 * @param {Iterable<string>} modules as a bundler names them
 */
export function packagesOf(modules) {
  const packages = new Set()
  for (const name of modules) {
    const [plain = ''] = name.split('?')
    const place = packageFolder.exec(plain)?.[1]
    if (place && fs.existsSync(packageFile(place))) packages.add(place)
  }
  return [...packages].sort()
}

const instructionTable = path.join(root, 'electron/engine/language/assembly/x86-instructions.json')

const packageFile = (name) => path.join(root, 'node_modules', name, 'package.json')

/** The licence that a package comes with, and what it asks to be repeated. */
function licenceText(name) {
  const folder = path.dirname(packageFile(name))
  const files = fs.readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  return files
    .map((file) => path.join(folder, file))
    .filter((file) => fs.statSync(file).isFile())
    .map((file) => fs.readFileSync(file, 'utf8').trim())
    .join('\n\n')
}

/** @param {string[]} packages as from packagesOf */
export function noticesOf(packages) {
  const notices = packages.map((folder) => {
    const { name: packageName, version, license, homepage } = readJson(packageFile(folder))
    const title = `${packageName} ${version} (${license ?? 'see below'})`
    const text =
      licenceText(folder) ||
      `The licence is ${license}. The package does not contain the text of the licence.`
    return [title, homepage, '', text].filter((line) => line !== undefined).join('\n')
  })
  // Data that is kept in the sources, with its notice.
  notices.push(readJson(instructionTable).source)
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `Opsmith contains these packages.${line}${notices.join(line)}\n`
}
