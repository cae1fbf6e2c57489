import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { publish } from '../../electron/engine/compile/publish'

let folder: string
let built: string
let addon: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-publish-'))
  fs.mkdirSync(path.join(folder, 'cache'))
  fs.mkdirSync(path.join(folder, 'project'))
  built = path.join(folder, 'cache', 'libop.so')
  addon = path.join(folder, 'operator_addon.node')
  fs.writeFileSync(built, 'library')
  fs.writeFileSync(addon, 'addon')
})
afterEach(() => {
  fs.rmSync(folder, { recursive: true })
})

it('library and addon are put into the build folder of the project', () => {
  const project = path.join(folder, 'project')
  const published = publish(project, 'op', built, addon)
  expect(published).toEqual({
    library: path.join(project, 'build', 'libop.so'),
    addon: path.join(project, 'build', 'op.node'),
  })
  expect(fs.readdirSync(path.join(project, 'build')).sort()).toEqual(['libop.so', 'op.node'])
})

it('where a file is called "build", both stay in the cache and a remark says so', () => {
  const project = path.join(folder, 'project')
  fs.writeFileSync(path.join(project, 'build'), '')
  const { library, addon: node, remark } = publish(project, 'op', built, addon)
  expect(library).toBe(built)
  expect(fs.readFileSync(node, 'utf8')).toBe('addon')
  expect(remark).toBe(
    `The build succeeded, but Opsmith could not copy the library to ${project}/build: this path is a file, not a folder. Use the library at ${built}, or fix the cause and build again.`,
  )
})

it('of a project that cannot be written, both stay in the cache', () => {
  const { library, remark } = publish('/sys', 'op', built, addon)
  expect(library).toBe(built)
  expect(remark).toMatch(/\/sys\/build: (permission denied|the file system is read-only)\. /)
})

it('a folder in the place of the library leaves nothing half-written behind', () => {
  const project = path.join(folder, 'project')
  fs.mkdirSync(path.join(project, 'build', 'libop.so', 'x'), { recursive: true })
  expect(publish(project, 'op', built, '').library).toBe(built)
  expect(fs.readdirSync(path.join(project, 'build'))).toEqual(['libop.so'])
})
