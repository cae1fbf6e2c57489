import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { copyClone } from '../support/clone'
import { root } from '../support/installation'

let clone: string

function build(...bundles: string[]): string {
  const script = path.join(clone, 'scripts', 'build.mjs')
  return execFileSync(process.execPath, [script, ...bundles], { encoding: 'utf8' }).trim()
}

/** The bundles that `npm run build` would make. */
function outdated(): string[] {
  const script = `
    import { outdatedBundles } from ${JSON.stringify(path.join(clone, 'scripts', 'build.mjs'))}
    console.log(JSON.stringify(outdatedBundles()))`
  const options = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as string[]
}

/** What an edit of one file makes outdated; the file is put back. */
function outdatedByEdit(file: string): string[] {
  const target = path.join(clone, file)
  const before = fs.readFileSync(target)
  fs.appendFileSync(target, '\n// an edit\n')
  try {
    return outdated()
  } finally {
    fs.writeFileSync(target, before)
  }
}

function outdatedByNew(file: string): string[] {
  const target = path.join(clone, file)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.writeFileSync(target, '')
  try {
    return outdated()
  } finally {
    fs.rmSync(target)
  }
}

beforeAll(() => {
  clone = copyClone(fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-clone-')))
  // Bundles of these very sources are not made twice.
  const made = path.join(root, 'dist')
  if (fs.existsSync(made)) fs.cpSync(made, path.join(clone, 'dist'), { recursive: true })
  build()
}, 600_000)
afterAll(() => {
  fs.rmSync(clone, { recursive: true, force: true })
})

describe('the bundles that an edit makes outdated', () => {
  it('nothing is made when nothing changed', () => {
    expect(build()).toBe('up to date')
    expect(outdated()).toEqual([])
  })

  it('an edit under graph/ makes the command line and the window', () => {
    expect(outdatedByEdit('graph/build-model.ts')).toEqual(['cli', 'renderer'])
  })

  it('an edit of what only its worker reads makes a bundle', () => {
    expect(outdatedByEdit('renderer/features/graph/paint.worker.ts')).toEqual(['renderer'])
  })

  it('an edit of what all bundles read makes all of them', () => {
    expect(outdatedByEdit('tsconfig.base.json')).toHaveLength(5)
    expect(outdatedByEdit('package-lock.json')).toHaveLength(5)
  })

  it('an edit makes only the bundles that read the file', () => {
    expect(outdatedByEdit('electron/preload/index.ts')).toEqual(['preload'])
    expect(outdatedByEdit('renderer/shell/main.tsx')).toEqual(['renderer'])
  })

  it('a new file that a glob may find makes a bundle', () => {
    expect(outdatedByNew('renderer/a-new-folder/index.ts')).toEqual(['renderer'])
    expect(outdatedByNew('docs/how-to/a-new-page.md')).toEqual(['renderer'])
    expect(outdatedByNew('renderer/a-new-note.md')).toEqual([])
  })

  it('a bundle that an edit made outdated stays so until it is built', () => {
    const file = path.join(clone, 'graph', 'build-model.ts')
    fs.appendFileSync(file, '\nexport const anEdit = 1\n')
    expect(build('cli')).toMatch(/^built cli in /)
    expect(outdated()).toEqual(['renderer'])
  })

  it('the notices name every package that a bundle holds, with the text of its licence', () => {
    const text = fs.readFileSync(path.join(clone, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of ['zod', 'react', 'monaco-editor', 'commander', 'tree-sitter-cuda'])
      expect(text).toContain(`\n${name} `)
    expect(text).toContain(
      fs.readFileSync(path.join(root, 'node_modules/uplot/LICENSE'), 'utf8').trim(),
    )
    // What only makes and tests the app is in no bundle.
    for (const name of ['vitest', 'esbuild', 'playwright-core', 'electron-builder'])
      expect(text).not.toContain(`\n${name} `)
  })

  it("a normal start's bundle has nothing that only npm run dev needs", () => {
    const text = fs.readFileSync(path.join(clone, 'dist', 'main.bundle.cjs'), 'utf8')
    expect(text).toContain('Content-Security-Policy')
    expect(text).not.toContain('OPSMITH_DEVELOPMENT_SERVER')
    expect(text).not.toContain('nonce-')
  })
})
