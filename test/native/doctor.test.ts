import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { defaultSettings } from '../../electron/contract/settings'
import { compileTimeKey } from '../../electron/engine/compile/compile-times'
import { chooseToolchain, chosenTools } from '../../electron/engine/toolchain/choose'
import { findCompilers } from '../../electron/engine/toolchain/compilers'
import { Doctor, examine } from '../../electron/engine/doctor/doctor'
import { Projects } from '../../electron/engine/project/open-project'
import { makeTestCache, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'

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
    expect(await adviceOf()).toMatch(/^works; clang, .* is the one to have$/)
    keep({ [own]: 4.5, [other]: 1.125 })
    expect(await adviceOf()).toMatch(
      /^works, a small operator takes 4\.50 s; with clang [\d.]+ it takes 1\.13 s here, 3\.38 s less$/,
    )
    // What is not so is not said.
    keep({ [own]: 1, [other]: 1.5 })
    expect(await adviceOf()).toMatch(/^works, a small operator takes 1\.00 s; clang, /)
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
  const doctor = new Doctor({ installation, projects })
  await projects.trust.forget(cache.home)
  const report = await doctor.report(folder)
  expect(report.findings.find((one) => one.path === compiler)?.why).toMatch(/not trusted/)
  expect(fs.existsSync(marker)).toBe(false)
  await projects.trust.decide(folder, 'trusted')
  await doctor.report(folder)
  expect(fs.existsSync(marker)).toBe(true)
})
