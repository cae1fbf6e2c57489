import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { pythonsOnPath } from '../../electron/engine/toolchain/pythons-on-path'

let folder = ''
let pyenv = ''

function program(file: string): string {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
  return file
}

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-')))
  pyenv = path.join(folder, 'pyenv')
  for (const name of ['python3', 'python3.11', 'python3.12'])
    program(path.join(pyenv, 'shims', name))
  for (const minor of [11, 12]) {
    const bin = path.join(pyenv, 'versions', `3.${minor}.1`, 'bin')
    program(path.join(bin, `python3.${minor}`))
    fs.symlinkSync(`python3.${minor}`, path.join(bin, 'python3'))
  }
  program(path.join(folder, 'usr', 'python3.9'))
  vi.stubEnv('PATH', [path.join(pyenv, 'shims'), path.join(folder, 'usr')].join(path.delimiter))
  vi.stubEnv('PYENV_VERSION', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  fs.rmSync(folder, { recursive: true })
})

const found = (): string[] => pythonsOnPath().map((file) => path.relative(folder, file))
const shims = ['python3', 'python3.11', 'python3.12'].map((name) => `pyenv/shims/${name}`)

describe('Pythons on PATH', () => {
  it("the shims of pyenv count as the Python of pyenv's version, and the rest of PATH follows", () => {
    fs.writeFileSync(path.join(pyenv, 'version'), '3.12.1\n')
    expect(found()).toEqual(['pyenv/versions/3.12.1/bin/python3', 'usr/python3.9'])
  })

  it('links to the shims in another folder of PATH count as the shims do', () => {
    fs.writeFileSync(path.join(pyenv, 'version'), '3.12.1\n')
    const links = path.join(folder, 'links')
    fs.mkdirSync(links)
    for (const name of ['python3', 'python3.11'])
      fs.symlinkSync(path.join(pyenv, 'shims', name), path.join(links, name))
    vi.stubEnv('PATH', links)
    expect(found()).toEqual(['pyenv/versions/3.12.1/bin/python3'])
  })

  it('the environment chooses before .python-version, and that before the version of pyenv', () => {
    fs.writeFileSync(path.join(pyenv, 'version'), '3.12.1\n')
    const project = path.join(folder, 'project', 'src')
    fs.mkdirSync(project, { recursive: true })
    fs.writeFileSync(path.join(folder, 'project', '.python-version'), '# ours\n3.11.1\n')
    vi.spyOn(process, 'cwd').mockReturnValue(project)
    expect(found()[0]).toBe('pyenv/versions/3.11.1/bin/python3')
    vi.stubEnv('PYENV_VERSION', '3.12.1:3.11.1')
    expect(found()).toEqual([
      'pyenv/versions/3.12.1/bin/python3',
      'pyenv/versions/3.11.1/bin/python3',
      'usr/python3.9',
    ])
  })

  it('a version that is not a folder of pyenv is left to pyenv itself', () => {
    for (const version of ['3.11\n', 'system\n', '']) {
      fs.writeFileSync(path.join(pyenv, 'version'), version)
      expect(found()).toEqual([...shims, 'usr/python3.9'])
    }
  })
})
