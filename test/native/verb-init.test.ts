import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, expect, it, onTestFinished, vi } from 'vitest'

import type { ProjectProposal } from '../../electron/contract/project-import'
import type { PytestReport } from '../../electron/contract/pytest'
import { opsmith } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import { python } from '../support/python'

const cache = makeTestCache()
afterAll(() => {
  cache.remove()
})

const noAbort = '\n\ndef test_ends_the_process():\n    pass\n'

const copyCase = (name: string): string =>
  copyProject(path.join(root, 'test/cases/import', name), cache)

/** Small repositories of one style each: a line's origin, and an operator that their tests call. */
const repositories = [
  ['template', 'setup.py:', 'template_ops::muladd'],
  ['several', 'setup.py:', 'norm_cpp::norm'],
  ['optional_cuda', 'setup.py:38, define_macros with CUDA', 'optional_cuda::gather'],
  ['missing_module', 'setup.py:', 'missing_module::add'],
  ['namespace_package', 'setup.py:', 'acme::negated'],
  ['cmake_option', 'cmake/warnings.cmake:2', 'scaled_ops::scaled'],
  ['scikit_build', 'pyproject.toml, version', 'shifted_ops::shifted'],
  ['load_files', 'ops.py:7', 'clipped::clipped'],
  ['load_strings', 'bench/swish.py:10', 'swish_ops::swish'],
  ['no_build_file', 'src/bind.cpp, which registers operators', 'no_build_file::half'],
] as const

it.each(repositories)(
  '%s builds from `opsmith init --yes` alone, passes its own tests, and exports a package that makes their calls',
  async (name, origin, operator) => {
    const folder = copyCase(name)
    // It ends the process, which verb-test.test.ts looks at.
    if (name === 'several') fs.appendFileSync(path.join(folder, 'tests/test_norm.py'), noAbort)
    const made = await opsmith(cache, 'init', folder, '--yes')
    expect(made, made.stderr).toMatchObject({ code: 0 })
    expect(made.stdout).toContain(`← ${origin}`)
    expect(made.stderr).toContain(`Next: opsmith build ${folder}`)
    const options = ['--python', python, '--record', '--json', '--keep', 'calls']
    const tested = await opsmith(cache, 'test', folder, ...options)
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ code: 0 })
    const report = JSON.parse(tested.stdout) as PytestReport
    expect(report.replaced).not.toEqual([])
    expect(report.calls?.map(({ op }) => op)).toContain(operator)
    const out = path.join(cache.home, 'exported', name)
    const exported = await opsmith(cache, 'export', folder, '--as', 'addon', '--out', out)
    expect(exported, exported.stderr).toMatchObject({ code: 0 })
    expect(exported.stdout + exported.stderr).toMatch(/ok +calls in Node \(\d+\)/)
  },
)

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
  expect(read.stderr).toContain(
    'Opsmith did not run setup.py, because you have not trusted its authors',
  )
  expect(read.stderr).toContain('Opsmith read the text of setup.py')
  const wrong = await opsmith(cache, 'init', folder, '--python', '/no/python', '--json')
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.stdout)).toMatchObject({ written: false, source: 'sources' })
})

/** Runs the command line on a terminal and answers its questions. What the terminal showed comes back. */
async function onTerminal(args: string[], answers: string[]): Promise<string> {
  const script = `
import os, pty, sys
answers, command = sys.argv[1].split(","), sys.argv[2:]
text, asked = b"", 0
def read(terminal):
    global text, asked
    data = os.read(terminal, 65536)
    # A question may come in two pieces.
    text += data
    seen = text.count(b"[y/N]")
    if seen > asked:
        os.write(terminal, answers.pop(0).encode() + b"\\n")
    asked = seen
    return data
sys.exit(os.waitstatus_to_exitcode(pty.spawn(command, read, lambda _: b"")))
`
  const cli = [process.execPath, path.join(root, 'dist/cli.cjs'), ...args]
  const done = await promisify(execFile)('python3', ['-c', script, answers.join(','), ...cli], {
    env: { ...process.env, ...cache.environment, OPSMITH_CALLER_FOLDER: cache.home },
  }).catch((error: unknown) => error as { stdout: string })
  return done.stdout
}

it('on a terminal it asks before it runs setup.py, and before it writes', async () => {
  // What is in the cache's home is trusted.
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-untrusted-'))
  onTestFinished(() => fs.rmSync(home, { recursive: true }))
  const folder = path.join(home, 'several')
  fs.cpSync(path.join(root, 'test/cases/import/several'), folder, { recursive: true })
  const refused = await onTerminal(['init', folder], ['n', 'n'])
  expect(refused).toContain(`Run ${folder}/setup.py to find out what the folder builds? [y/N]`)
  expect(refused).toContain('Opsmith read the text of setup.py')
  expect(refused).toContain('nothing was written')
  expect(fs.existsSync(path.join(folder, 'opsmith.json'))).toBe(false)
  const accepted = await onTerminal(['init', folder], ['y', 'y'])
  expect(accepted).toContain('Opsmith recorded the extensions and built nothing')
  expect(accepted).toContain(`Write ${folder}/opsmith.json? [y/N]`)
  expect(fs.existsSync(path.join(folder, 'opsmith.json'))).toBe(true)
})
