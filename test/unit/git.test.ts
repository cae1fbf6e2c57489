import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { Git } from '../../electron/engine/git/git'
import type { Projects } from '../../electron/engine/project/open-project'
import { changedLines } from '../../renderer/features/git/changed-lines'
import { changedFolders, stateOf } from '../../renderer/store/file-states'

let base: string
let folder: string
let isRestricted = false
const projects = {
  isRestricted: () => Promise.resolve(isRestricted),
} as Partial<Projects> as Projects
const git = new Git({ projects })

function run(...args: string[]): void {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  execFileSync('git', [...author, '-C', base, ...args], { stdio: 'pipe' })
}

const write = (name: string, text: string): void => {
  fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
  fs.writeFileSync(path.join(base, name), text)
}

beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-git-'))
  folder = path.join(base, 'my project')
  run('init', '-q', '-b', 'main')
  write('my project/op.cpp', 'one\ntwo\nthree\n')
  write('my project/src/old name.cpp', 'a\nb\nc\nd\ne\n')
  write('my project/gone.cpp', '')
  write('.gitignore', 'build/\n*.log\n')
  write('outside.txt', '')
  run('add', '.')
  run('commit', '-q', '-m', 'First of all')
  write('my project/op.cpp', 'one\nTWO\nthree\n')
  write('my project/ü new.cpp', '')
  write('my project/added.cpp', '')
  write('my project/build/lib.so', '')
  write('my project/run.log', '')
  write('my project/docs/deep/page.md', '')
  write('outside.txt', 'changed')
  run('add', 'my project/added.cpp')
  run('mv', 'my project/src/old name.cpp', 'my project/src/new name.cpp')
  fs.rmSync(path.join(folder, 'gone.cpp'))
})
afterAll(() => {
  fs.rmSync(base, { recursive: true, force: true })
})

describe('what git says', () => {
  it('of each file below the project, and of no other', async () => {
    const status = await git.status(folder)
    if (!status.ok || !status.value) throw new Error('no status')
    const { branch, commit, files } = status.value
    expect(branch).toBe('main')
    expect(commit).toMatch(/^[0-9a-f]{40}$/)
    const states = new Map(files.map(({ path: file, state }) => [file, state]))
    expect(Object.fromEntries(states)).toEqual({
      'op.cpp': 'modified',
      'added.cpp': 'added',
      'src/new name.cpp': 'renamed',
      'gone.cpp': 'deleted',
      'ü new.cpp': 'untracked',
      'docs/': 'untracked',
      'build/': 'ignored',
      'run.log': 'ignored',
    })
    expect(stateOf(states, 'docs/deep/page.md')).toBe('untracked')
    expect(stateOf(states, 'build')).toBe('ignored')
    expect(stateOf(states, 'src')).toBeNull()
    expect([...changedFolders(states)]).toEqual(['src'])
  })

  it('of a file as it was committed, and of who wrote each line of what is typed', async () => {
    expect(await git.head(folder, 'op.cpp')).toEqual({
      ok: true,
      value: { text: 'one\ntwo\nthree\n' },
    })
    expect(await git.head(folder, 'added.cpp')).toEqual({ ok: true, value: { text: null } })
    const blamed = await git.blame(folder, 'op.cpp', 'one\nTWO\nthree\nfour\n')
    if (!blamed.ok) throw new Error(blamed.error.message)
    expect(blamed.value.map(({ author }) => author)).toEqual([
      'Ada',
      'Not committed yet',
      'Ada',
      'Not committed yet',
    ])
    expect(blamed.value[2]).toMatchObject({ summary: 'First of all' })
    expect(await git.blame(folder, 'added.cpp', 'x\n')).toMatchObject({ ok: true })
    expect(await git.head(folder, '../outside.txt')).toMatchObject({ ok: false })
  })

  it('nothing where there is no repository', async () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-no-git-'))
    expect(await git.status(elsewhere)).toEqual({ ok: true, value: null })
    fs.rmSync(elsewhere, { recursive: true })
  })

  it("runs no program of the repository's settings, and none at all in restricted mode", async () => {
    const marker = path.join(base, 'ran')
    const program = path.join(base, 'program')
    fs.writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\ncat\n`, { mode: 0o755 })
    run('config', 'core.fsmonitor', program)
    run('config', 'core.hooksPath', base)
    await git.status(folder)
    expect(fs.existsSync(marker)).toBe(false)
    // A filter is the repository's own way to read files: git would run it for a status.
    run('config', 'filter.evil.clean', program)
    write('.gitattributes', '*.cpp filter=evil\n')
    write('my project/op.cpp', 'longer than before, so that git reads it\n')
    isRestricted = true
    for (const answer of [
      git.status(folder),
      git.head(folder, 'op.cpp'),
      git.blame(folder, 'op.cpp', ''),
    ])
      expect(await answer).toMatchObject({ error: { code: 'project.restricted' } })
    expect(fs.existsSync(marker)).toBe(false)
    isRestricted = false
    await git.status(folder)
    expect(fs.existsSync(marker)).toBe(true)
  })
})

describe('changed lines', () => {
  const of = (before: string, after: string): string[] =>
    changedLines([...before], [...after]).map((change) =>
      change.kind === 'deleted'
        ? `deleted after ${change.after}`
        : `${change.kind} ${change.from}-${change.to}`,
    )

  it('are found with as few lines as possible', () => {
    expect(of('abc', 'abc')).toEqual([])
    expect(of('abc', 'abXc')).toEqual(['added 3-3'])
    expect(of('abcd', 'aXcdYZ')).toEqual(['modified 2-2', 'added 5-6'])
    expect(of('abcd', 'bd')).toEqual(['deleted after 0', 'deleted after 1'])
    expect(of('abcabba', 'cbabac')).toEqual([
      'deleted after 0',
      'added 2-2',
      'deleted after 4',
      'added 6-6',
    ])
    expect(of('', 'ab')).toEqual(['added 1-2'])
  })

  it('keep all that both texts share in order', () => {
    // What is left without the changed lines must be the same in both.
    let seed = 7
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647
    for (let round = 0; round < 50; round += 1) {
      const before = Array.from({ length: 40 }, () => 'abcd'.charAt(Math.floor(random() * 4)))
      const after = before.flatMap((line) =>
        random() < 0.2 ? [] : random() < 0.2 ? [line, 'x'] : [line],
      )
      const changed = new Set<number>()
      for (const change of changedLines(before, after))
        if (change.kind !== 'deleted')
          for (let line = change.from; line <= change.to; line += 1) changed.add(line - 1)
      const rest = after.filter((_, index) => !changed.has(index)).join('')
      let place = 0
      for (const letter of before) if (rest[place] === letter) place += 1
      expect(place).toBe(rest.length)
    }
  })
})
