import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { ok, unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import { compileTimeKey } from '../../electron/engine/compile/compile-times'
import { chooseToolchain, chosenTools } from '../../electron/engine/toolchain/choose'
import { findCompilers } from '../../electron/engine/toolchain/compilers'
import { Doctor, examine } from '../../electron/engine/doctor/doctor'
import { Projects } from '../../electron/engine/project/open-project'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { opsmith } from '../support/command-line'
import { python } from '../support/python'

const compilers = await findCompilers([])
const gcc = compilers.find((one) => one.family === 'g++' && one.judgement === 'warning')
const clang = compilers.find((one) => one.family === 'clang' && one.judgement === 'usable')
const choice = chosenTools(defaultSettings, undefined)

let cache: TestCache
beforeAll(() => {
  cache = makeTestCache()
})
afterAll(() => {
  cache.remove()
})

it.skipIf(!gcc || !clang)(
  'doctor states how much time clang would save over g++ on this machine',
  async () => {
    const installation = testInstallation(cache)
    const adviceOf = async (): Promise<string> => {
      const { findings } = await examine(installation, choice, defaultSettings)
      return findings.find((one) => one.path === gcc?.path)?.why ?? ''
    }
    const { libtorch } = unwrap(await chooseToolchain(installation, choice))
    const file = path.join(installation.cacheFolder, 'compile-times.json')
    const keep = (seconds: Record<string, number>): void => {
      const entries = Object.entries(seconds).map(([identity, took]) => [
        compileTimeKey(identity, libtorch.identity),
        { compiler: identity, seconds: took },
      ])
      fs.writeFileSync(file, JSON.stringify(Object.fromEntries(entries)))
    }
    const own = gcc?.identity ?? ''
    const other = clang?.identity ?? ''
    fs.rmSync(file, { force: true })
    expect(await adviceOf()).toMatch(/^works; the compile server, .*, needs clang$/)
    keep({ [own]: 4.5, [other]: 1.125 })
    expect(await adviceOf()).toMatch(
      /^works: a small operator compiles in 4\.50 s; with clang [\d.]+ in 1\.13 s \(3\.38 s less\)$/,
    )
    // What is not so is not said.
    keep({ [own]: 1, [other]: 1.5 })
    expect(await adviceOf()).toMatch(
      /^works: a small operator compiles in 1\.00 s; the compile server, .*, needs clang$/,
    )
  },
)

it('doctor runs no compiler that only the opsmith.json of an untrusted folder names, also on the command line', async () => {
  const installation = testInstallation(cache)
  const folder = fs.mkdtempSync(path.join(cache.home, 'project-'))
  const marker = path.join(folder, 'ran')
  const compiler = path.join(folder, 'clang++')
  fs.writeFileSync(compiler, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
  const manifest = { name: 'x', sources: ['op.cpp'], toolchain: { compiler } }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  const projects = new Projects(installation, false)
  const choosePython = (): Promise<Result<string>> => Promise.resolve(ok(python))
  const doctor = new Doctor({ installation, projects, choosePython })
  await projects.trust.forget(cache.home)
  const report = await doctor.report(folder)
  expect(report.findings.find((one) => one.path === compiler)?.why).toMatch(/not trusted/)
  expect(fs.existsSync(marker)).toBe(false)
  await projects.trust.decide(folder, 'trusted')
  await doctor.report(folder)
  expect(fs.existsSync(marker)).toBe(true)
})

it('what of a project does not fit is named before anything is compiled, of a folder that is trusted', async () => {
  const folder = copyProject(path.join(root, 'test/cases/import/optional_cuda'), cache)
  const { trust } = new Projects(testInstallation(cache), false)
  await trust.decide(folder, 'trusted')
  const bare = path.join(folder, '.venv/bin/python3')
  fs.mkdirSync(path.dirname(bare), { recursive: true })
  const marker = path.join(folder, 'asked')
  fs.writeFileSync(bare, `#!/bin/sh\ntouch ${marker}\nexec python3 -S "$@"\n`, { mode: 0o755 })
  const manifest = {
    name: 'optional_cuda',
    sources: ['csrc/gather.cpp', 'csrc/gone.cpp'],
    cudaSources: ['csrc/cuda/gather_cuda.cu'],
    cflags: ['-std=c++17'],
    pkgConfig: ['a_package_that_nobody_has'],
  }
  const write = (more: object): void =>
    fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify({ ...manifest, ...more }))
  write({})
  const wrong = await opsmith(cache, 'doctor', folder)
  expect(wrong).toMatchObject({ code: 1 })
  for (const text of [
    "the project's sources: opsmith.json, sources[1]",
    '-std=c++17: the headers of libtorch',
    "the project's packages: The package a_package_that_nobody_has",
    'has no torch, so tests and exported packages cannot run in this Python',
  ])
    expect(wrong.stdout).toContain(text)
  write({ sources: ['csrc/gather.cpp'], cflags: [], pkgConfig: [] })
  const fitting = await opsmith(cache, 'doctor', folder)
  expect(fitting, fitting.stdout).toMatchObject({ code: 0 })
  expect(fitting.stdout).toMatch(
    /1 CUDA source .*\n.*left out of builds: |1 CUDA source .*kernels for/,
  )
  fs.rmSync(marker, { force: true })
  await trust.decide(folder, 'restricted')
  const restricted = await opsmith(cache, 'doctor', folder)
  expect(restricted.stdout).not.toContain("the project's Python")
  expect(fs.existsSync(marker)).toBe(false)
})
