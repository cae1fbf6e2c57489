import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { askPython } from '../../electron/engine/toolchain/ask-python'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-test-'))
afterAll(() => fs.rmSync(home, { recursive: true }))

/** A virtual environment made a while ago, which notes each start of its Python. */
function makeEnvironment(): { python: string; packages: string; starts: () => number } {
  const folder = path.join(home, 'environment')
  execFileSync('python3', ['-m', 'venv', '--without-pip', folder])
  const lib = path.join(folder, 'lib')
  const [version = ''] = fs.readdirSync(lib)
  const packages = path.join(lib, version, 'site-packages')
  const notes = path.join(folder, 'starts')
  const note = `open(${JSON.stringify(notes)}, 'a').write('+')\n`
  fs.writeFileSync(path.join(packages, 'sitecustomize.py'), note)
  // Its first start would make this folder, which is a change of the folder around it.
  fs.mkdirSync(path.join(packages, '__pycache__'), { recursive: true })
  const before = new Date(Date.now() - 60_000)
  for (const place of [packages, path.join(folder, 'pyvenv.cfg')]) {
    fs.utimesSync(place, before, before)
  }
  return {
    python: path.join(folder, 'bin/python3'),
    packages,
    starts: () => fs.readFileSync(notes, 'utf8').length,
  }
}

const { python, packages, starts } = makeEnvironment()

it('a Python is asked once for its torch, and again when a package was installed', async () => {
  expect((await askPython(python))?.torchFolder).toBe('')
  expect((await askPython(python))?.torchFolder).toBe('')
  expect(starts()).toBe(1)
  fs.mkdirSync(path.join(packages, 'torch'))
  fs.writeFileSync(path.join(packages, 'torch/__init__.py'), '')
  expect((await askPython(python))?.torchFolder).toBe(path.join(packages, 'torch'))
  expect(starts()).toBe(2)
})

it('a script that chooses a Python is asked each time', async () => {
  const before = starts()
  const script = path.join(home, 'python3')
  fs.writeFileSync(script, `#!/bin/sh\nexec ${python} "$@"\n`, { mode: 0o755 })
  await askPython(script)
  await askPython(script)
  expect(starts() - before).toBe(2)
})
