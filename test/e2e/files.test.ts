import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { addedLines, decorations } from '../support/editor-parts'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string
const at = (...parts: string[]): string => path.join(folder, ...parts)
const row = (name: string): ReturnType<App['testId']> => app.testId(`explorer-file-${name}`)

function git(...args: string[]): void {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  execFileSync('git', [...author, '-C', folder, ...args], { stdio: 'pipe' })
}

async function choose(name: string, action: string): Promise<void> {
  await app.testId(name).click({ button: 'right' })
  await app.testId(`explorer-menu-${action}`).click()
}

async function typeName(name: string): Promise<void> {
  await app.testId('explorer-name').fill(name)
  await app.page.keyboard.press('Enter')
}

/** Drops files of the disk, as a file manager does. */
async function drop(files: string[], onto: string): Promise<void> {
  await app.page.evaluate(() => {
    const field = document.createElement('input')
    field.type = 'file'
    field.multiple = true
    field.id = 'files-to-drop'
    document.body.append(field)
  })
  const field = app.page.locator('#files-to-drop')
  await field.setInputFiles(files)
  await app.page.evaluate((testId) => {
    const chosen = document.querySelector<HTMLInputElement>('#files-to-drop')
    const target = document.querySelector(`[data-testid="${testId}"]`)
    const data = new DataTransfer()
    for (const file of chosen?.files ?? []) data.items.add(file)
    for (const kind of ['dragover', 'drop'])
      target?.dispatchEvent(
        new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
      )
    chosen?.remove()
  }, onto)
}

beforeAll(async () => {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/my_op'), cache)
  fs.mkdirSync(at('src'))
  fs.writeFileSync(at('src', 'detail.h'), '#pragma once\nint detail();\n')
  fs.writeFileSync(at('notes.md'), 'one\ntwo\nthree\n')
  git('init', '-q', '-b', 'main')
  fs.writeFileSync(at('.gitignore'), '*.log\n')
  git('add', '.')
  git('commit', '-q', '-m', 'First of all')
  fs.writeFileSync(at('run.log'), '')
  app = await App.start(cache, folder, {
    hotCompile: false,
    codeHelp: false,
    buildOnSave: false,
  })
  await app.resize(1280, 720)
  await row('op.cpp').waitFor()
  // Its editor takes the keyboard when the project opens.
  await app.focused('op.cpp')
})
afterAll(async () => {
  await app.close()
  cache.remove()
})

describe('the tree of files', () => {
  it('shows folders and hidden files, walks by keys, and opens what Enter is pressed on', async () => {
    await row('.gitignore').waitFor()
    expect(await row('src/detail.h').count()).toBe(0)
    await app.testId('explorer-folder-src').click()
    await row('src/detail.h').waitFor()
    await app.page.keyboard.press('ArrowDown')
    await expect
      .poll(() => row('src/detail.h').evaluate((one) => one === document.activeElement))
      .toBe(true)
    await app.page.keyboard.press('Enter')
    await app.testId('tab-src/detail.h').waitFor()
    await app.focused('src/detail.h')
    await row('src/detail.h').focus()
    await app.page.keyboard.press('ArrowLeft')
    await app.page.keyboard.press('ArrowLeft')
    await row('src/detail.h').waitFor({ state: 'detached' })
  })

  it('says what git says', async () => {
    await expect.poll(() => row('run.log').getAttribute('data-git')).toBe('ignored')
    fs.writeFileSync(at('notes.md'), 'one\n2\nthree\nfour\n')
    fs.writeFileSync(at('new.cpp'), '')
    await expect.poll(() => row('notes.md').getAttribute('data-git')).toBe('modified')
    await expect.poll(() => row('new.cpp').getAttribute('data-git')).toBe('untracked')
    expect(await row('notes.md').textContent()).toContain('modified')
    await app.pictures('files-tree')
  })

  it('makes files and folders where the menu was asked for', async () => {
    await choose('explorer-folder-src', 'newFolder')
    await typeName('inner')
    await app.testId('explorer-folder-src/inner').waitFor()
    await choose('explorer-folder-src/inner', 'newFile')
    await typeName('added.h')
    await app.testId('tab-src/inner/added.h').waitFor()
    expect(fs.readFileSync(at('src/inner/added.h'), 'utf8')).toBe('')
  })

  it('renames a file whose tab stays, with what was typed and not saved', async () => {
    await app.openFile('notes.md')
    await app.focused('notes.md')
    await app.setText('notes.md', 'typed\n')
    await row('notes.md').focus()
    await app.page.keyboard.press('F2')
    await typeName('notes-2.md')
    await app.testId('tab-notes-2.md').waitFor()
    await app.testId('tab-notes.md').waitFor({ state: 'detached' })
    await expect.poll(() => app.text('notes-2.md')).toBe('typed\n')
    expect(await app.testId('tab-notes-2.md').getAttribute('data-dirty')).toBe('true')
    expect(fs.readFileSync(at('notes-2.md'), 'utf8')).toBe('one\n2\nthree\nfour\n')
  })

  it('asks before what was typed is lost, and moves files to the trash', async () => {
    await row('notes-2.md').focus()
    await app.page.keyboard.press('Delete')
    await app
      .testId('question')
      .filter({ hasText: 'Unsaved text will be lost: notes-2.md' })
      .waitFor()
    await app.pictures('files-delete')
    await app.testId('question-cancel').click()
    expect(fs.existsSync(at('notes-2.md'))).toBe(true)
    await choose('explorer-file-notes-2.md', 'delete')
    await app.testId('question-accept').click()
    await app.testId('tab-notes-2.md').waitFor({ state: 'detached' })
    await row('notes-2.md').waitFor({ state: 'detached' })
    expect(fs.readdirSync(path.join(cache.home, 'data/Trash/files'))).toContain('notes-2.md')
  })

  it('takes files from outside by a drop, and shows the graph of a model', async () => {
    const outside = path.join(cache.home, 'outside.txt')
    fs.writeFileSync(outside, 'from outside')
    await drop([outside], 'explorer-folder-src')
    await row('src/outside.txt').waitFor()
    await expect.poll(() => fs.readFileSync(at('src/outside.txt'), 'utf8')).toBe('from outside')
    // A row that is dragged to another folder is moved, an open one with its tab.
    await row('src/outside.txt').click()
    await app.testId('tab-src/outside.txt').waitFor()
    await row('src/outside.txt').dragTo(row('op.cpp'))
    await row('outside.txt').waitFor()
    await app.testId('tab-outside.txt').waitFor()
    expect(fs.readFileSync(at('outside.txt'), 'utf8')).toBe('from outside')
    expect(fs.existsSync(at('src/outside.txt'))).toBe(false)
    await drop([path.join(root, 'test/cases/graphs/older.pt2')], 'explorer-tree')
    await app.testId('graph-search-bar').waitFor()
    await app.testId('tool-graph').getByText('older.pt2').first().waitFor()
    // Main copies nothing that was not dropped.
    const refused = await app.page.evaluate(
      (input) =>
        (
          window as unknown as { opsmith: { call(name: string, input: unknown): Promise<unknown> } }
        ).opsmith.call('file.import', input),
      { folder, into: '', sources: ['/etc/passwd'] },
    )
    expect(refused).toMatchObject({ ok: false, error: { code: 'request.invalid' } })
    fs.copyFileSync(path.join(root, 'test/cases/graphs/older.pt2'), at('mine.pt2'))
    await row('mine.pt2').click()
    await app.testId('tool-graph').getByText('mine.pt2').first().waitFor()
    expect(await app.testId('tab-mine.pt2').count()).toBe(0)
  })
})

describe('a file next to its last commit', () => {
  it('is compared in a tab, and changed lines are marked at the line numbers', async () => {
    fs.writeFileSync(at('program.py'), '# new\n' + fs.readFileSync(at('program.py'), 'utf8'))
    await expect.poll(() => row('program.py').getAttribute('data-git')).toBe('modified')
    await app.openFile('program.py')
    await decorations(app.page, 'git-added').first().waitFor()
    await choose('explorer-file-program.py', 'git-compare')
    await app.testId('tab-git-program.py').waitFor()
    await addedLines(app.testId('head-program.py')).first().waitFor()
    await app.pictures('files-compared')
  })

  it('says who changed the line of the cursor, when that is wanted', async () => {
    await app.caretAt('program.py', 3)
    const blamed = app.testId('editor-program.py').getByText(/Ada,\s.*:\sFirst\sof\sall/)
    expect(await blamed.count()).toBe(0)
    await app.page.keyboard.press('Control+Shift+P')
    await app.testId('palette-input').fill('Blame')
    await app.page.keyboard.press('Enter')
    await blamed.waitFor()
    await app.pictures('files-blame')
  })
})

describe('going to a name of the project', () => {
  it('leads to its line, without clangd', async () => {
    await app.page.keyboard.press('Control+t')
    await app.testId('palette-input').fill('my_op_backward')
    await app.testId('palette-symbol').filter({ hasText: 'op.cpp' }).first().waitFor()
    await app.pictures('files-symbols')
    await app.page.keyboard.press('Enter')
    await app.focused('op.cpp')
    await app
      .testId('status-cursor')
      .filter({ hasText: /^\d\d:1$/ })
      .waitFor()
  })
})

describe('search in files', () => {
  it('finds what is typed, saved or not, and replaces it everywhere', async () => {
    await app.setText('src/detail.h', '// positive, not saved\n')
    await app.page.keyboard.press('Control+Shift+H')
    await app.testId('search-text').fill('positive')
    await app.testId('search-replacement').fill('smaller')
    await app.testId('search-note').filter({ hasText: '2 files' }).waitFor()
    await app.testId('search-match').filter({ hasText: 'positivesmaller part of 3x - y' }).waitFor()
    await app.pictures('files-search')
    await app.testId('search-match').first().click()
    await app.focused('program.py')
    await app.testId('search-replacement').fill('greater')
    // At once: matches are replaced by what the field says, not by what the list still shows.
    await app.testId('search-replace-all').click()
    await app.testId('question').filter({ hasText: 'in 2 files?' }).waitFor()
    await app.testId('question-accept').click()
    await app.testId('search-note').filter({ hasText: 'Nothing found' }).waitFor()
    expect(fs.readFileSync(at('program.py'), 'utf8')).toContain('greater part')
    expect(await app.text('src/detail.h')).toBe('// greater, not saved\n')
    expect(fs.readFileSync(at('src/detail.h'), 'utf8')).not.toContain('greater')
    await app.page.keyboard.press('Control+Shift+F')
    await app.testId('search-isRegex').click()
    await app.testId('search-text').fill('(')
    await app.testId('search-error').waitFor()
  })
})

describe('a new operator of the project', () => {
  it('is added by the keyboard alone, and built and run at once', async () => {
    await row('op.cpp').focus()
    await app.page.keyboard.press('Shift+F10')
    await app.testId('explorer-menu-newOperator').click()
    await app.page.locator('[data-testid=new-operator-name]:focus').waitFor()
    await app.page.keyboard.type('backward')
    await app.page.keyboard.press('Enter')
    await app
      .testId('new-operator-error')
      .filter({ hasText: 'already has an operator backward' })
      .waitFor()
    await app.pictures('files-new-operator')
    await app.page.keyboard.press('Control+a')
    await app.page.keyboard.type('soft_step')
    await app.page.keyboard.press('Shift+Tab')
    await app.page.keyboard.press('ArrowDown')
    await app.page.keyboard.press('Enter')
    await app.focused('soft_step.cpp')
    expect(await app.text('soft_step.cpp')).toContain('TORCH_LIBRARY_FRAGMENT(my_op, m)')
    const call = app.testId('run-panel')
    await call.filter({ hasText: 'my_op::soft_step' }).waitFor()
    await app.built(buildTime)
    await app.page.keyboard.press('Control+Enter')
    await app.testId('run-comparison').filter({ hasText: 'Matches' }).waitFor()
    // A panel's key goes to its work, not to a menu of its bar.
    await app.page.keyboard.press('Control+3')
    await app.page.locator('[data-testid=run-op]:focus').waitFor()
    await app.pictures('files-operator-added')
  })
})
