import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { root } from '../support/installation'
import { compiler, libtorch } from './fixture'

const run = promisify(execFile)
let clone: string

beforeAll(() => {
  clone = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-new-'))
  for (const name of ['scripts', 'electron/contract'])
    fs.cpSync(path.join(root, name), path.join(clone, name), { recursive: true })
})
afterAll(() => {
  fs.rmSync(clone, { recursive: true, force: true })
})

/** Reads C++ as the addon's build does, without making code of it; what the compiler reports. */
async function checkSyntax(file: string): Promise<string> {
  const include = path.join(libtorch, 'include')
  const packages = ['node-addon-api', 'node-api-headers/include']
  const { stderr } = await run(compiler, [
    '-std=c++20',
    '-fsyntax-only',
    '-Wall',
    '-Wextra',
    '-Wno-unused-parameter',
    `-I${path.join(root, 'native')}`,
    `-isystem${include}`,
    `-isystem${path.join(include, 'torch/csrc/api/include')}`,
    ...packages.map((name) => `-isystem${path.join(root, 'node_modules', name)}`),
    '-DNAPI_VERSION=8',
    '-DNODE_ADDON_API_CPP_EXCEPTIONS',
    '-DNODE_API_NO_EXTERNAL_BUFFERS_ALLOWED',
    path.join(clone, file),
  ])
  return stderr
}

describe('npm run new', () => {
  it.each([
    ['check', 'my-thing', 'native/runtime/operator_check/checks/my_thing.cpp'],
    ['call', 'tensor.maxValue', 'native/binding/calls/tensor_max_value_call.cpp'],
  ])('the C++ of a new %s compiles', async (kind, name, file) => {
    await run(process.execPath, [path.join(clone, 'scripts/new.mjs'), kind, name])
    expect(await checkSyntax(file)).toBe('')
  })
})
