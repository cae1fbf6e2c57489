import fsPromises from 'node:fs/promises'
import fs from 'node:fs'
import path from 'node:path'

import { afterEach, expect, it, vi } from 'vitest'

import { changeSettings } from '../../electron/engine/project/settings-file'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()

afterEach(() => {
  vi.restoreAllMocks()
})

/** How often opsmith.json of a project is read while work is done. */
async function manifestReads(folder: string, work: () => Promise<unknown>): Promise<number> {
  const file = path.join(folder, 'opsmith.json')
  const isManifest = ([name]: readonly unknown[]): boolean => name === file
  const reads = vi.spyOn(fsPromises, 'readFile')
  const readsAtOnce = vi.spyOn(fs, 'readFileSync')
  await work()
  const count = [...reads.mock.calls, ...readsAtOnce.mock.calls].filter(isManifest).length
  vi.restoreAllMocks()
  return count
}

it('a build reads opsmith.json once, its lints and what is kept of it included', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const reads = await manifestReads(folder, async () => {
    const build = await workbench.builds.build(folder)
    expect(build).toMatchObject({ ok: true, value: { ok: true } })
  })
  expect(reads).toBe(1)
})

it('a build and the load after it read opsmith.json once, and so does a run', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const built = await manifestReads(folder, async () => {
    const both = await workbench.libraries.buildAndLoad(folder, {}, 120)
    expect(both).toMatchObject({ ok: true, value: { load: { operators: expect.anything() } } })
  })
  expect(built).toBe(1)
  const project = await workbench.projects.open(folder)
  if (!project.ok) throw new Error(project.error.message)
  const [call] = project.value.manifest.calls
  if (!call) throw new Error('my_op has no call')
  const request = { op: call.op, args: call.args, inputs: project.value.manifest.inputs }
  const ran = await manifestReads(folder, async () => {
    expect(await workbench.runs.run(folder, request, { timeout: 120 })).toMatchObject({ ok: true })
  })
  expect(ran).toBe(1)
})

it('an edit of opsmith.json and a change of the settings are seen by the next cycle, not by the one under way', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const file = path.join(folder, 'opsmith.json')
  const before = await workbench.projects.open(folder)
  const text = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, text.replace(/"name": "[^"]*"/, '"name": "renamed_op"'))
  await changeSettings(cache.places.configFolder, { callTimeout: 77 })
  const after = await workbench.projects.open(folder)
  if (!before.ok || !after.ok) throw new Error('my_op does not open')
  expect(before.value.manifest.name).not.toBe('renamed_op')
  expect(before.value.settings.callTimeout).not.toBe(77)
  expect(after.value.manifest.name).toBe('renamed_op')
  expect(after.value.settings.callTimeout).toBe(77)
  const build = await workbench.builds.build(folder)
  expect(build.ok && path.basename(build.value.library)).toBe('librenamed_op.so')
})

it('the forms of an export are asked for after each edit, and the Pythons of this machine once', async () => {
  const folder = copyProject(path.join(root, 'samples/my_op'), cache)
  const tools = path.join(cache.home, 'one-python')
  const started = path.join(cache.home, 'started')
  fs.mkdirSync(tools)
  fs.writeFileSync(path.join(tools, 'python3'), `#!/bin/sh\necho python >> ${started}\n`, {
    mode: 0o755,
  })
  const count = (): number =>
    fs.existsSync(started) ? fs.readFileSync(started, 'utf8').trim().split('\n').length : 0
  vi.stubEnv('PATH', `${tools}:${process.env['PATH'] ?? ''}`)
  try {
    expect(await workbench.exports.forms(folder)).toMatchObject({ ok: true })
    const once = count()
    expect(once).toBeGreaterThan(0)
    fs.appendFileSync(path.join(folder, 'op.cpp'), '// edited\n')
    expect(await workbench.exports.forms(folder)).toMatchObject({ ok: true })
    expect(count()).toBe(once)
    // Doctor was asked to look again.
    workbench.exports.forgetTools()
    expect(await workbench.exports.forms(folder)).toMatchObject({ ok: true })
    expect(count()).toBeGreaterThan(once)
  } finally {
    vi.unstubAllEnvs()
  }
})
