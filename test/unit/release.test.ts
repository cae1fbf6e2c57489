import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { root } from '../support/installation'

interface Checks {
  releaseProblems: (folder: string, version: string) => Promise<string[]>
  setVersion: (folder: string, version: string) => void
  gitCommands: (folder: string, version: string) => Promise<string[]>
}
interface Component {
  name: string
  'bom-ref': string
  purl?: string
  licenses: unknown[]
  hashes?: { alg: string; content: string }[]
}
interface Sbom {
  serialNumber: string
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const load = async (name: string): Promise<unknown> =>
  await import(path.join(root, 'scripts/release', name))
const { releaseProblems, setVersion, gitCommands } = (await load('checks.mjs')) as Checks
const { sbomOf } = (await load('sbom.mjs')) as { sbomOf: (of: object) => Sbom }
const { writeChecksums } = (await load('artefacts.mjs')) as {
  writeChecksums: (folder: string) => void
}

let folder: string
const git = (...words: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    encoding: 'utf8',
  })
const write = (name: string, text: string): void => {
  fs.writeFileSync(path.join(folder, name), text)
}
const writeJson = (name: string, value: unknown): void => {
  write(name, `${JSON.stringify(value, null, 2)}\n`)
}
const read = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8')

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-release-'))
  const named = { name: 'a', version: '1.9.0' }
  writeJson('package.json', { ...named, dependencies: { b: '1.9.0' } })
  writeJson('package-lock.json', {
    ...named,
    packages: { '': named, 'node_modules/b': { version: '1.9.0' } },
  })
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## [Unreleased]\n\n## [1.10.0] - 2027-01-01\n- ten\n\n## [1.8.0]\n- eight\n',
  )
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'first')
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('what a release needs', () => {
  it('a semantic version without a pre-release', async () => {
    for (const word of ['1.10', 'v1.10.0', '1.10.0-rc.1', '01.10.0', ''])
      expect(await releaseProblems(folder, word)).toEqual([
        `"${word}" is not a version: write it as MAJOR.MINOR.PATCH, such as 1.4.0.`,
      ])
  })

  it('a section of the change log, a newer version, committed files: each that is missing is named', async () => {
    write('new.txt', '')
    write('CHANGELOG.md', `${read('CHANGELOG.md')}- more\n`)
    expect(await releaseProblems(folder, '1.7.0')).toEqual([
      '1.7.0 is older than 1.9.0, the version in package.json.',
      'CHANGELOG.md has no section "## [1.7.0]" with entries: rename the section [Unreleased] to [1.7.0], and add the date.',
      'Not committed: CHANGELOG.md, new.txt. First commit or undo these changes.',
    ])
  })

  it('sets the version of the project alone; a second run finds nothing to do', async () => {
    expect(await releaseProblems(folder, '1.10.0')).toEqual([])
    setVersion(folder, '1.10.0')
    const [own, lock] = [read('package.json'), read('package-lock.json')]
    expect(JSON.parse(own)).toEqual({ name: 'a', version: '1.10.0', dependencies: { b: '1.9.0' } })
    expect(JSON.parse(lock)).toMatchObject({
      version: '1.10.0',
      packages: { '': { version: '1.10.0' }, 'node_modules/b': { version: '1.9.0' } },
    })
    expect(await releaseProblems(folder, '1.10.0')).toEqual([])
    setVersion(folder, '1.10.0')
    expect([read('package.json'), read('package-lock.json')]).toEqual([own, lock])
    writeJson('package.json', { name: 'other', version: '1.10.0', dependencies: { b: '1.9.0' } })
    expect(await releaseProblems(folder, '1.10.0')).toEqual([
      'Not committed: package.json. First commit or undo these changes.',
    ])
  })

  it('the printed commands do what is left to do', async () => {
    setVersion(folder, '1.10.0')
    const [commit = '', tag = '', push] = await gitCommands(folder, '1.10.0')
    expect(push).toBe('git push origin main v1.10.0')
    const env = { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' }
    const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
    for (const command of [commit, tag])
      execFileSync('sh', ['-c', command], { cwd: folder, env: { ...env, ...committer } })
    expect(git('log', '-1', '--format=%s', 'v1.10.0').trim()).toBe('release: 1.10.0')
    expect(git('status', '--porcelain')).toBe('')
    expect(await releaseProblems(folder, '1.10.0')).toEqual([])
    expect(await gitCommands(folder, '1.10.0')).toEqual([push])
    git('commit', '-q', '--allow-empty', '-m', 'later')
    expect((await releaseProblems(folder, '1.10.0'))[0]).toMatch(/^The tag v1\.10\.0 is at another/)
  })

  it('bad input is a sentence and exit code 2', () => {
    const script = path.join(root, 'scripts/release.mjs')
    const ended = spawnSync(process.execPath, [script, '1.x'], { encoding: 'utf8' })
    expect(ended.status).toBe(2)
    expect(ended.stderr).toBe(
      '"1.x" is not a version: write it as MAJOR.MINOR.PATCH, such as 1.4.0.\n',
    )
  })
})

describe('the list of what a package contains', () => {
  const lock = {
    'node_modules/@a/b': { version: '1.2.3', license: 'MIT', integrity: 'sha512-AAEC' },
    'node_modules/c': { version: '2.0.0', license: '(MIT OR CC0-1.0)' },
    'node_modules/c/node_modules/@a/b': { version: '0.1.0' },
  }
  const project = { name: 'own', version: '1.0.0', description: 'd', license: 'MIT' }
  const parts = [
    { type: 'framework', name: 'electron', version: '25.1.1', license: 'MIT', sha256: 'ab' },
  ]
  const made = (packages: string[]): Sbom =>
    sbomOf({ project, time: '2027-01-01T00:00:00.000Z', packages, lock, parts })

  it('names packages and parts with version, licence and hash', () => {
    const { components, dependencies } = made(['@a/b', 'c', 'c/node_modules/@a/b'])
    expect(components.map(({ name, purl, licenses }) => [name, purl, licenses])).toEqual([
      ['@a/b', 'pkg:npm/%40a/b@1.2.3', [{ license: { id: 'MIT' } }]],
      ['c', 'pkg:npm/c@2.0.0', [{ expression: '(MIT OR CC0-1.0)' }]],
      ['@a/b', 'pkg:npm/%40a/b@0.1.0', [{ license: { name: 'see THIRD-PARTY-NOTICES.txt' } }]],
      ['electron', undefined, [{ license: { id: 'MIT' } }]],
    ])
    expect(components[0]?.hashes).toEqual([{ alg: 'SHA-512', content: '000102' }])
    expect(components[3]?.hashes).toEqual([{ alg: 'SHA-256', content: 'ab' }])
    const references = components.map((one) => one['bom-ref'])
    expect(new Set(references).size).toBe(4)
    expect(dependencies[0]?.dependsOn).toEqual(references)
  })

  it('has the same serial number only for the same content, in the form of a UUID', () => {
    const number = made(['c']).serialNumber
    expect(number).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
    expect(made(['c']).serialNumber).toBe(number)
    expect(made([]).serialNumber).not.toBe(number)
  })

  it('is not made where the lock file lacks a package', () => {
    expect(() => made(['d'])).toThrow('package-lock.json does not have d')
  })
})

it('the checksums of a release are as sha256sum reads them', () => {
  const files = path.join(folder, 'files')
  fs.mkdirSync(files)
  fs.writeFileSync(path.join(files, 'b.tar.gz'), 'b')
  fs.writeFileSync(path.join(files, 'a b.deb'), 'a')
  writeChecksums(files)
  const check = (): number | null =>
    spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files }).status
  expect(check()).toBe(0)
  fs.writeFileSync(path.join(files, 'a b.deb'), 'c')
  expect(check()).toBe(1)
})
