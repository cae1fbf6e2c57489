import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import {
  readSetupEnvironment,
  setupCommand,
  setupEnvironmentFile,
} from '../../electron/engine/installation'
import {
  allLibtorchs,
  libtorchsInUsualPlaces,
} from '../../electron/engine/toolchain/libtorch-places'
import { withSetupLock } from '../../electron/engine/setup/setup-lock'
import { ok } from '../../electron/contract/outcome'
import { newTree } from '../../electron/engine/toolchain/process-tree'
import { root } from '../support/installation'

let home = ''
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-setup-'))
})
afterEach(() => {
  fs.rmSync(home, { recursive: true, force: true })
})

/** The files by which a libtorch is known. */
function writeTorch(folder: string, version: string): string {
  const write = (name: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  write('lib/libtorch_cpu.so', '')
  write('include/torch/library.h', '')
  write('version.py', `__version__ = '${version}'\n`)
  return folder
}

describe('where libtorch is looked for', () => {
  it('environments of conda and venv, noted ones and unpacked archives are found', () => {
    const packages = 'lib/python3.11/site-packages/torch'
    const conda = writeTorch(path.join(home, 'miniforge3/envs/ops', packages), '2.9.0')
    const project = writeTorch(path.join(home, 'project/.venv', packages), '2.8.0')
    const noted = writeTorch(path.join(home, 'elsewhere/deep/env', packages), '2.7.0')
    const unpacked = writeTorch(path.join(home, 'Downloads/libtorch'), '2.10.0')
    fs.mkdirSync(path.join(home, '.conda'))
    const note = `${path.join(home, 'elsewhere/deep/env')}\n`
    fs.writeFileSync(path.join(home, '.conda/environments.txt'), note)
    const found = libtorchsInUsualPlaces(home).map(({ folder }) => folder)
    expect(found).toEqual(expect.arrayContaining([conda, project, noted, unpacked]))
    expect(found.filter((folder) => folder.startsWith(home))).toHaveLength(4)
  })

  it('Doctor and the window list them, each once', async () => {
    const folder = writeTorch(path.join(home, 'Downloads/libtorch'), '2.10.0')
    vi.stubEnv('HOME', home)
    vi.stubEnv('LIBTORCH', folder)
    try {
      const all = await allLibtorchs({ chosen: '', setup: '' })
      expect(all.filter((one) => one.folder === folder)).toMatchObject([{ origin: 'LIBTORCH' }])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('one whose version is too old is found, and cannot be used', () => {
    const folder = writeTorch(path.join(home, 'libtorch'), '2.5.1')
    const found = libtorchsInUsualPlaces(home).find((one) => one.folder === folder)
    expect(found).toMatchObject({ judgement: 'unusable', version: '2.5.1' })
  })
})

describe('which command sets up', () => {
  it('npm in a clone, opsmith in a package', () => {
    expect(setupCommand(root)).toBe('npm run setup')
    expect(setupCommand(root, '/torch')).toBe('npm run setup -- --libtorch /torch')
    expect(setupCommand(home)).toBe('opsmith setup')
    expect(setupCommand(home, '/torch')).toBe('opsmith setup --libtorch /torch')
  })

  it('each version of a package has what was found for it, and a clone has its own', () => {
    const cache = path.join(home, 'cache')
    const note = (version: string): void => {
      fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify({ version }, null, 2))
      const file = setupEnvironmentFile(home, cache)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, JSON.stringify({ addon: version }))
    }
    note('1.0.0')
    note('1.1.0')
    expect(readSetupEnvironment(home, cache)).toEqual({ addon: '1.1.0' })
    fs.writeFileSync(path.join(home, 'package.json'), '{ "version": "1.0.0" }')
    expect(readSetupEnvironment(home, cache)).toEqual({ addon: '1.0.0' })
    expect(setupEnvironmentFile(root, cache)).toBe(path.join(root, '.setup/environment.json'))
  })
})

describe('the lock of set-up', () => {
  const run = (): Promise<unknown> => withSetupLock(home, () => Promise.resolve(ok('done')))
  const lock = (): string => path.join(home, 'setup/lock')

  it('refuses a second set-up while one runs, and is gone after it', async () => {
    const second = await withSetupLock(home, async () => ok(await run()))
    expect(second).toMatchObject({ value: { ok: false, error: { code: 'request.invalid' } } })
    expect(fs.existsSync(lock())).toBe(false)
    expect(await run()).toEqual(ok('done'))
  })

  it('of a process that has ended counts for nothing', async () => {
    fs.mkdirSync(path.dirname(lock()))
    // Our own process id, with the start of another process.
    const [pid = ''] = newTree().split('.')
    fs.writeFileSync(lock(), `${pid}.1.gone`)
    expect(await run()).toEqual(ok('done'))
    expect(fs.existsSync(lock())).toBe(false)
  })

  it('of a container holds for two hours, since its processes are not seen from here', async () => {
    fs.mkdirSync(path.dirname(lock()), { recursive: true })
    fs.writeFileSync(lock(), '1.1.1.id')
    expect(await run()).toMatchObject({
      error: { message: expect.stringContaining('in a container') as string },
    })
    const longAgo = Date.now() / 1000 - 3 * 3600
    fs.utimesSync(lock(), longAgo, longAgo)
    expect(await run()).toEqual(ok('done'))
  })
})
