// The list of what the packages contain (SBOM), in CycloneDX's form. `npm sbom` is not used: it lists what developers
// install, and refuses because a tool for the documents names another version of react.
import { createHash } from 'node:crypto'

/**
 * @typedef {object} Part what is packed next to npm packages
 * @property {'framework' | 'application' | 'library' | 'platform' | 'data' | 'file'} type
 * @property {string} name
 * @property {string} version "" if it has none
 * @property {string} license an identifier of SPDX, or an expression of them
 * @property {string} [purl]
 * @property {string} [description]
 * @property {string} [sha256] in hexadecimal digits
 */

/** An identifier, an expression such as "(MIT OR CC0-1.0)", or none. */
function licensesOf(license) {
  if (!license) return [{ license: { name: 'see THIRD-PARTY-NOTICES.txt' } }]
  return / /.test(license) ? [{ expression: license }] : [{ license: { id: license } }]
}

/** A package of npm, as the lock file names it: its hash is that of the archive in the registry. */
function npmComponent(place, { version, license, integrity }) {
  const name = place.split('node_modules/').at(-1) ?? place
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm = '', digest = ''] = (integrity ?? '').split('-')
  const hash = { alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: licensesOf(license),
    ...(algorithm === 'sha512' ? { hashes: [hash] } : {}),
  }
}

/** @param {Part} part */
function partComponent({ type, name, version, license, purl, description, sha256 }) {
  return {
    type,
    'bom-ref': purl ?? `${name}@${version}`,
    name,
    ...(version ? { version } : {}),
    ...(description ? { description } : {}),
    ...(purl ? { purl } : {}),
    licenses: licensesOf(license),
    ...(sha256 ? { hashes: [{ alg: 'SHA-256', content: sha256 }] } : {}),
  }
}

/** A number for this list alone, the same each time that it is made. */
function serialNumber(text) {
  const hex = createHash('sha256').update(text).digest('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
  return `urn:uuid:${[...groups, hex.slice(20, 32)].join('-')}`
}

/**
 * @param {object} of
 * @param {{ name: string, version: string, description: string, license: string }} of.project
 * @param {string} of.time when its sources were committed, in ISO form
 * @param {string[]} of.packages folders in node_modules, as from packagesOf
 * @param {Record<string, any>} of.lock `packages` of package-lock.json
 * @param {Part[]} of.parts
 */
export function sbomOf({ project, time, packages, lock, parts }) {
  const { name, version, description, license } = project
  const unknown = packages.filter((folder) => lock[`node_modules/${folder}`] === undefined)
  if (unknown.length > 0)
    throw new Error(`package-lock.json does not have ${unknown.join(', ')}: run npm install`)
  const components = [
    ...packages.map((folder) =>
      npmComponent(`node_modules/${folder}`, lock[`node_modules/${folder}`]),
    ),
    ...parts.map(partComponent),
  ]
  const own = { type: 'application', 'bom-ref': `${name}@${version}`, name, version, description }
  const content = {
    metadata: { timestamp: time, component: { ...own, licenses: licensesOf(license) } },
    components,
    dependencies: [
      { ref: own['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) },
    ],
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(JSON.stringify(content)),
    version: 1,
    ...content,
  }
}
