import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'
import { python } from '../support/python'
import { makeSmallProject } from '../support/small-project'

let cache: TestCache
let project: string
let other: string
let torch: string
const out = (...names: string[]): string => path.join(cache.home, 'out', ...names)
const opsmith = async (...words: string[]): Promise<Outcome> => await runOpsmith(cache, ...words)
const wheels = async (...words: string[]): Promise<Outcome> =>
  await opsmith('export', project, '--as', 'setuptools', '--out', out(), ...words)

/** Another Python with a torch of another name: the files are those of torch, its version says something else. */
function makeOtherPython(folder: string): string {
  execFileSync(python, ['-m', 'venv', '--without-pip', folder])
  const ask = 'import sysconfig; print(sysconfig.get_path("purelib"))'
  const purelib = (one: string): string =>
    execFileSync(one, ['-c', ask], { encoding: 'utf8' }).trim()
  const made = path.join(folder, 'bin/python')
  const [from, to] = [purelib(python), purelib(made)]
  const link = (names: readonly string[], place: string): void => {
    for (const name of names)
      fs.symlinkSync(path.join(from, place, name), path.join(to, place, name))
  }
  link(
    fs.readdirSync(from).filter((name) => name !== 'torch'),
    '',
  )
  fs.mkdirSync(path.join(to, 'torch'))
  link(
    fs.readdirSync(path.join(from, 'torch')).filter((name) => name !== 'version.py'),
    'torch',
  )
  const version = fs.readFileSync(path.join(from, 'torch/version.py'), 'utf8')
  torch = /__version__ = '([^']+)'/.exec(version)?.[1] ?? ''
  fs.writeFileSync(
    path.join(to, 'torch/version.py'),
    version.replace(`'${torch}'`, `'${torch.split('+')[0] ?? ''}+other'`),
  )
  return made
}

beforeAll(() => {
  cache = makeTestCache()
  project = makeSmallProject(cache)
  other = makeOtherPython(path.join(cache.home, 'other'))
})
afterAll(() => {
  cache.remove()
})

const wheel = 'doubling-0.1.0-cp39-abi3-linux_x86_64.whl'

describe('wheels for the torch of several Pythons', () => {
  it('are built by two workers, tested with their Python, and kept in a folder each', async () => {
    // A file that the user changed and keeps is a part of the wheels.
    expect((await wheels('--no-proof')).code).toBe(0)
    const kept = 'python/doubling/__init__.py'
    fs.appendFileSync(out('setuptools', kept), '\nCHANGED_BY_HAND = True\n')
    const words = ['--over', 'local', '--jobs', '2', '--keep', `setuptools/${kept}`, '--json']
    const { code, stdout, stderr } = await wheels('--python', python, other, ...words)
    expect(code, stderr + stdout).toBe(0)
    const { forms, missing } = JSON.parse(stdout) as {
      missing: []
      forms: { products: string[]; steps: { name: string }[] }[]
    }
    const folders = [torch, `${torch.split('+')[0] ?? ''}+other`].map((one) => `dist/torch-${one}`)
    expect(missing).toEqual([])
    expect(forms[0]?.products).toEqual(folders.map((folder) => `${folder}/${wheel}`))
    expect(forms[0]?.steps.map(({ name }) => name)).toContain(`calls in Python (torch ${torch})`)
    const unpack =
      'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())'
    for (const folder of folders) {
      const file = out('setuptools', folder, wheel)
      const read = ['-c', unpack, file, 'doubling/__init__.py']
      expect(execFileSync(python, read, { encoding: 'utf8' })).toContain('CHANGED_BY_HAND')
    }
    expect(fs.existsSync(out('setuptools/setup.py'))).toBe(true)
    expect(fs.existsSync(out('setuptools/dist', wheel))).toBe(false)
  }, 1_200_000)

  it('are built here without workers too; what fails is shown with the torch that it is of', async () => {
    const folder = path.join(cache.home, 'other/lib')
    const [found = ''] = fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('torch/version.py'))
    const file = path.join(folder, found)
    const before = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, `${before}\nraise ImportError('this torch is broken')\n`)
    const { code, stdout } = await wheels('--python', python, other, '--keep')
    fs.writeFileSync(file, before)
    expect(stdout).toContain(`ok      calls in Python (torch ${torch})`)
    expect(stdout).toMatch(/FAILED {2}build the wheel \(torch .*other\): .*this torch is broken/)
    expect(code).toBe(1)
    // That of before may not pass for one of now.
    expect(
      fs.readdirSync(out('setuptools/dist', `torch-${torch.split('+')[0] ?? ''}+other`)),
    ).toEqual([])
    expect(fs.existsSync(out('setuptools/dist', `torch-${torch}`, wheel))).toBe(true)
  }, 1_200_000)

  it.each([
    [['--python', '/nothing/python'], '/nothing/python is not a Python that runs'],
    [['--python', 'PYTHON', '--no-proof'], '--python cannot be given together with --no-proof.'],
    [['--over', 'local'], '--over needs --python'],
    [['--over', 'local', '--python', ''], '--python names no Python.'],
    [
      ['--python', 'no-such-python'],
      'no-such-python is neither a full path nor a program on PATH.',
    ],
    [['--python', 'PYTHON', 'LINK'], `both have torch`],
    [
      ['--python', 'PYTHON', '--as', 'cmake'],
      'No form of this export builds a wheel for each torch.',
    ],
    [['--python', 'PYTHON', '--diff'], '--python cannot be given together with --diff.'],
  ])('%j is refused', async (words, message) => {
    const link = path.join(cache.home, 'same-python')
    if (!fs.existsSync(link))
      fs.writeFileSync(link, `#!/bin/sh\nexec '${python}' "$@"\n`, { mode: 0o755 })
    const named = words.map((word) => word.replace('PYTHON', python).replace('LINK', link))
    const { code, stderr } = await wheels(...named)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })
})
