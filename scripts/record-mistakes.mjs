// Records what clang and g++ say of test/cases/mistakes, for test/unit/explain.test.ts.
//   node scripts/record-mistakes.mjs [NAME …]      some minutes: libtorch's headers are read each time
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { readJson } from './lib/files.mjs'
import { root } from './lib/paths.mjs'

const sources = path.join(root, 'test/cases/mistakes')
const target = path.join(root, 'test/unit/mistakes')
const { libtorch } = readJson(path.join(root, '.setup/environment.json')) ?? {}
const compilers = { clang: 'clang++-19', gcc: 'g++-12' }
const include = path.join(libtorch, 'include')
const args = ['-std=c++20', '-O2', '-fPIC', '-fdiagnostics-color=never', '-fsyntax-only']
const headers = ['-isystem', include, '-isystem', path.join(include, 'torch/csrc/api/include')]

const given = process.argv.slice(2)
const names = fs.readdirSync(sources).map((file) => path.basename(file, '.cpp'))
fs.mkdirSync(target, { recursive: true })
for (const name of names.filter((one) => given.length === 0 || given.includes(one))) {
  for (const [family, command] of Object.entries(compilers)) {
    const result = spawnSync(command, [...args, ...headers, `${name}.cpp`], {
      cwd: sources,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    })
    const text = result.stderr.replaceAll(libtorch, '/libtorch')
    fs.writeFileSync(path.join(target, `${name}.${family}.txt`), text)
    console.log(`${name} ${family}: ${text.split('\n').length - 1} lines`)
  }
}
