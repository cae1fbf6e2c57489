import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, expect, it, vi } from 'vitest'

import type { ProjectProposal } from '../../electron/contract/project-import'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'

const cache = makeTestCache()
afterAll(() => {
  cache.remove()
})

const copyCase = (name: string): string =>
  copyProject(path.join(root, 'test/cases/import', name), cache)

it.each([
  ['template', 'template_ops', 'setup.py:', 'template_ops::muladd(Tensor a, Tensor b, float c)'],
  ['several', 'norm_cpp', 'setup.py:', 'norm_cpp::norm(Tensor x) -> Tensor'],
  [
    'cmake_option',
    'scaled',
    'cmake/warnings.cmake:2',
    'scaled_ops::scaled(Tensor x, float factor)',
  ],
  ['load_strings', 'swish_ops', 'bench/swish.py:10', 'swish_ops::swish(Tensor x, float beta)'],
])('%s builds from `opsmith init --yes` alone', async (name, library, origin, schema) => {
  const folder = copyCase(name)
  const made = await opsmith(cache, 'init', folder, '--yes')
  expect(made, made.stderr).toMatchObject({ code: 0 })
  expect(made.stdout).toContain(`← ${origin}`)
  expect(made.stderr).toContain(`Next: opsmith build ${folder}`)
  const built = await opsmith(cache, 'schemas', folder)
  expect(built, built.stderr).toMatchObject({ code: 0 })
  expect(built.stdout).toContain(schema)
  expect(fs.existsSync(path.join(folder, 'build', `lib${library}.so`))).toBe(true)
})

it('CMake configures a copy: values with their lines, options, and what a switch for CUDA changes', async () => {
  const folder = copyCase('cmake_option')
  const scratch = path.join(cache.home, 'scratch')
  fs.mkdirSync(scratch)
  vi.stubEnv('TMPDIR', scratch)
  const shown = await opsmith(cache, 'init', folder, '--yes', '--json').finally(() =>
    vi.unstubAllEnvs(),
  )
  expect(shown, shown.stderr).toMatchObject({ code: 0 })
  expect(JSON.parse(fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8'))).toEqual({
    name: 'scaled',
    version: '0.2.1',
    sources: ['src/scaled.cpp', 'src/bias.cpp'],
    cudaSources: ['src/device.cpp'],
    includePaths: ['include'],
    optimization: 'O3',
    cflags: ['-DSCALED_BIAS=2', '-Wno-sign-compare'],
    cudaDefines: ['SCALED_CUDA=1'],
    ldflags: ['-lm'],
  })
  expect((JSON.parse(shown.stdout) as ProjectProposal).switches).toEqual([
    { name: 'SCALED_WITH_BIAS', value: 'ON', isOption: true, file: 'CMakeLists.txt', line: 4 },
  ])
  expect(fs.readdirSync(path.join(folder, 'include/scaled'))).toEqual(['bias.h'])
  expect(fs.readdirSync(scratch)).toEqual([])
})

it('an option of CMake’s gets another value by --define; a failure has CMake’s words and the line', async () => {
  const folder = copyCase('cmake_option')
  const off = await opsmith(cache, 'init', folder, '--json', '--define', 'SCALED_WITH_BIAS=OFF')
  expect(off.stdout).not.toContain('SCALED_BIAS=2')
  fs.appendFileSync(path.join(folder, 'CMakeLists.txt'), 'find_package(Absent REQUIRED)\n')
  const failed = await opsmith(cache, 'init', folder, '--yes')
  expect(failed.stdout).toMatch(
    /CMakeLists\.txt:\d+: CMake fails: By not providing "FindAbsent\.cmake"/,
  )
})

it('scikit-build-core: CMake gets the definitions of pyproject.toml', async () => {
  const folder = copyCase('scikit_build')
  const made = await opsmith(cache, 'init', folder, '--yes')
  expect(made, made.stderr).toMatchObject({ code: 0 })
  expect(made.stdout).toContain('← pyproject.toml, version')
  expect(JSON.parse(fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8'))).toEqual({
    name: 'shifted',
    version: '1.3.0',
    sources: ['csrc/shifted.cpp'],
    optimization: 'O3',
    cflags: ['-DSTEPS=5'],
  })
})

it('without a terminal and without --yes the proposal is printed, and nothing is written', async () => {
  const folder = copyCase('no_build_file')
  const shown = await opsmith(cache, 'init', folder)
  expect(shown.code).toBe(1)
  expect(shown.stdout).toContain('"src/bind.cpp"')
  expect(shown.stderr).toContain('--yes writes opsmith.json')
  expect(fs.existsSync(path.join(folder, 'opsmith.json'))).toBe(false)
  const untrusted = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-init-'))
  fs.cpSync(path.join(root, 'test/cases/import/several'), untrusted, { recursive: true })
  const read = await opsmith(cache, 'init', untrusted, '--extension', 'norm_cpp')
  fs.rmSync(untrusted, { recursive: true })
  expect(read.stderr).toContain('setup.py was not run: its authors are not trusted')
  expect(read.stderr).toContain('the text of setup.py was read')
  const wrong = await opsmith(cache, 'init', folder, '--python', '/no/python', '--json')
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.stdout)).toMatchObject({ written: false, source: 'sources' })
})
