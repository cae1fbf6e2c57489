// What a release needs of the repository, and the version in it.
import fs from 'node:fs'
import path from 'node:path'

import { runCommand } from '../lib/command.mjs'
import { readJson, writeWhole } from '../lib/files.mjs'

/** Debian sorts a pre-release after its release, so none is made. */
const versionForm = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

/** Files with the version. package.json is its one place; npm repeats it in the other. */
const versionFiles = ['package.json', 'package-lock.json']

const numbersOf = (version) => version.split('.').map(Number)

/** Below 0 if `one` is the older version. */
function compareVersions(one, other) {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  const index = a.findIndex((number, place) => number !== b[place])
  return index < 0 ? 0 : a[index] - b[index]
}

/** The entries of a version in a change log; "" if there are none. */
export function changesOf(changelog, version) {
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`[${version}]`)) ?? ''
  const entries = section.split('\n').slice(1).join('\n').trim()
  return /^- /m.test(entries) ? entries : ''
}

/** A text of package.json or package-lock.json with another version of the project. */
function withVersion(text, version) {
  const value = JSON.parse(text)
  value.version = version
  if (value.packages?.[''] !== undefined) value.packages[''].version = version
  return `${JSON.stringify(value, null, 2)}\n`
}

async function git(folder, ...words) {
  const { output } = await runCommand(['git', '-C', folder, ...words])
  return output
}

/** Whether a release has changed nothing in a file but the version. */
async function isOnlyVersion(folder, name, version) {
  if (!versionFiles.includes(name)) return false
  const committed = await git(folder, 'show', `HEAD:${name}`)
  return fs.readFileSync(path.join(folder, name), 'utf8') === withVersion(committed, version)
}

/** Files that are not as the last commit has them, but for the version that an earlier run has set. */
async function changedFiles(folder, version) {
  const status = await git(folder, 'status', '--porcelain', '--no-renames', '-z')
  const names = status
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
  const isExpected = await Promise.all(names.map((name) => isOnlyVersion(folder, name, version)))
  return names.filter((_, index) => !isExpected[index])
}

/** The commit that a tag is at; "" if there is no such tag. */
async function commitOfTag(folder, tag) {
  const format = '--format=%(objectname) %(*objectname)'
  const names = await git(folder, 'for-each-ref', format, `refs/tags/${tag}`)
  return names.trim().split(' ').at(-1) ?? ''
}

/**
 * Why this version cannot be released from a folder, a sentence for each reason.
 * @returns {Promise<string[]>}
 */
export async function releaseProblems(folder, version) {
  if (!versionForm.test(version))
    return [`"${version}" is not a version: write it as MAJOR.MINOR.PATCH, such as 1.4.0.`]
  const problems = []
  const committed = JSON.parse(await git(folder, 'show', 'HEAD:package.json')).version
  if (compareVersions(version, committed) < 0)
    problems.push(`${version} is older than ${committed}, the version in package.json.`)
  const changelog = fs.readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
  if (changesOf(changelog, version) === '')
    problems.push(
      `CHANGELOG.md has no section "## [${version}]" with entries: rename the section [Unreleased] to [${version}], and add the date.`,
    )
  const changed = await changedFiles(folder, version)
  if (changed.length > 0)
    problems.push(`Not committed: ${changed.join(', ')}. First commit or undo these changes.`)
  const tagged = await commitOfTag(folder, `v${version}`)
  const head = (await git(folder, 'rev-parse', 'HEAD')).trim()
  if (tagged !== '' && tagged !== head)
    problems.push(`The tag v${version} is at another commit, ${tagged.slice(0, 8)}.`)
  return problems
}

/** Sets the version, if another one is there. */
export function setVersion(folder, version) {
  for (const name of versionFiles.filter((one) => fs.existsSync(path.join(folder, one)))) {
    const file = path.join(folder, name)
    const text = fs.readFileSync(file, 'utf8')
    if (readJson(file).version !== version) writeWhole(file, withVersion(text, version))
  }
}

/** The commands that are left to do, in their order: what has been done is not among them. */
export async function gitCommands(folder, version) {
  const tag = `v${version}`
  const status = await git(folder, 'status', '--porcelain')
  const isTagged = (await commitOfTag(folder, tag)) !== ''
  const branch = (await git(folder, 'rev-parse', '--abbrev-ref', 'HEAD')).trim()
  return [
    ...(status === '' ? [] : [`git commit -m "release: ${version}" -- ${versionFiles.join(' ')}`]),
    ...(isTagged && status === '' ? [] : [`git tag -a ${tag} -m "Opsmith ${version}"`]),
    `git push origin ${branch} ${tag}`,
  ]
}
