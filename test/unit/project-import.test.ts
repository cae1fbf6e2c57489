import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { proposedText } from '../../electron/contract/project-import'
import type { ProjectProposal } from '../../electron/contract/project-import'
import { findInstallation } from '../../electron/engine/installation'
import { firstCMakeError } from '../../electron/engine/project-import/configure-cmake'
import { carryFlag, groupFlags } from '../../electron/engine/project-import/carry-flags'
import { ProposalDraft } from '../../electron/engine/project-import/proposal-draft'
import { proposeProject } from '../../electron/engine/project-import/propose-project'
import type { ImportRequest } from '../../electron/engine/project-import/repository'
import { writeProposal } from '../../electron/engine/project-import/write-proposal'
import { root } from '../support/installation'

const installation = findInstallation(path.join(root, 'dist'))
let scratch: string
/** A Python without packages: setup.py runs with stand-ins for torch and setuptools, wherever the tests run. */
let python: string
beforeEach(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-import-'))
  python = path.join(scratch, 'bare-python')
  fs.writeFileSync(python, '#!/bin/sh\nexec python3 -S "$@"\n', { mode: 0o755 })
})
afterEach(() => fs.rmSync(scratch, { recursive: true, force: true }))

/** A copy of a case: what setup.py must not change can be looked at. */
function copyCase(name: string): string {
  const folder = path.join(scratch, name)
  fs.cpSync(path.join(root, 'test/cases/import', name), folder, { recursive: true })
  return folder
}

async function propose(
  folder: string,
  request: Partial<ImportRequest> = {},
): Promise<ProjectProposal> {
  const all = { folder, runsCode: true, python, extension: '', ...request }
  return unwrap(await proposeProject(installation, all))
}

const jsonOf = (proposal: ProjectProposal): unknown => JSON.parse(proposedText(proposal))
const remarksOf = ({ remarks }: ProjectProposal): string =>
  remarks.map(({ file, line, text, command }) => `${file}:${line} ${text} ${command}`).join('\n')

describe('setup.py that is run and recorded', () => {
  it('what only the run with CUDA has is the CUDA part: sources, macros, libraries', async () => {
    const proposal = await propose(copyCase('optional_cuda'))
    expect(jsonOf(proposal)).toEqual({
      name: 'optional_cuda',
      version: '1.4.2',
      pythonModules: ['optional_cuda._gather_cpu', 'optional_cuda._version_cpu'],
      sources: ['csrc/gather.cpp', 'csrc/cpu/gather_cpu.cpp', 'csrc/version.cpp'],
      cudaSources: ['csrc/cuda/gather_cuda.cu'],
      includePaths: ['csrc'],
      optimization: 'O3',
      cflags: ['-DWITH_PYTHON', '-Wno-sign-compare'],
      cudaCflags: ['-DWITH_PYTHON', '--use_fast_math'],
      cudaDefines: ['WITH_CUDA'],
      cudaArchitectures: ['80'],
      cudaLdflags: ['-lcublas'],
    })
    const origin = proposal.lines.find(({ text }) => text.includes('WITH_CUDA'))?.origin
    expect(origin).toBe('setup.py:38, define_macros with CUDA')
    const remarks = remarksOf(proposal)
    for (const text of ['-std=c++17 is left out', '-fopenmp is left out'])
      expect(remarks).toContain(text)
    expect(remarks).toContain('This Python has no torch')
    const asked = { name: 'FORCE_ONLY_CPU', isOption: false, file: 'setup.py' }
    expect(proposal.switches).toEqual([{ ...asked, value: '', line: 13 }])
  })

  it('a variable of the environment that it looks for is given as a definition', async () => {
    const definitions = ['FORCE_ONLY_CPU=1']
    const proposal = await propose(copyCase('optional_cuda'), { definitions })
    expect(jsonOf(proposal)).not.toHaveProperty('cudaSources')
    expect(proposal.switches).toMatchObject([{ name: 'FORCE_ONLY_CPU', value: '1' }])
  })

  it('paths that it computes become relative, and what it writes does not reach its folder', async () => {
    const folder = copyCase('template')
    const proposal = await propose(folder)
    expect(jsonOf(proposal)).toEqual({
      name: 'template_ops',
      version: '0.3.1',
      pythonModules: ['template_ops._C'],
      sources: ['template_ops/csrc/muladd.cpp'],
      includePaths: ['include', 'third_party/small/include'],
      optimization: 'O2',
    })
    expect(remarksOf(proposal)).toContain(
      'git submodule update --init --recursive third_party/small',
    )
    expect(fs.readdirSync(path.join(folder, 'template_ops'))).toEqual(['csrc'])
    expect(fs.readdirSync(folder)).not.toContain('generated')
  })

  it('of extensions that cannot be one library the first is proposed, or the one that is named', async () => {
    const folder = copyCase('several')
    const first = await propose(folder)
    expect(first).toMatchObject({ extensions: ['norm_cpp'], otherExtensions: ['pool_cpp'] })
    const named = await propose(folder, { extension: 'pool_cpp' })
    expect(jsonOf(named)).toEqual({
      name: 'pool_cpp',
      sources: ['pool/pool.cpp'],
      optimization: 'O1',
      cflags: ['-DPOOL_SCALE=3'],
    })
    const unknown = await proposeProject(installation, {
      folder,
      runsCode: true,
      python,
      extension: 'conv',
    })
    expect(unknown).toMatchObject({ error: { hint: 'Choose one of norm_cpp, pool_cpp.' } })
  })

  it('one that ends without CUDA is read with CUDA, and says which functions need Python', async () => {
    const proposal = await propose(copyCase('needs_cuda'))
    expect(jsonOf(proposal)).toEqual({
      name: 'needs_cuda',
      sources: ['bind.cpp', 'kernel.cu'],
      cudaArchitectures: ['90a'],
    })
    const remarks = remarksOf(proposal)
    expect(remarks).toContain('setup.py:6 setup.py fails without CUDA: RuntimeError')
    expect(remarks).toContain('bind.cpp:6 py::class_ needs Python')
    expect(remarks).toContain('become operators: twice.')
  })

  it('one that cannot be run is read as text, with the line and what to install', async () => {
    const proposal = await propose(copyCase('missing_module'))
    expect(proposal.source).toBe('text')
    expect(jsonOf(proposal)).toEqual({
      name: 'missing_module',
      pythonModules: ['missing_module._C'],
      sources: ['src/add.cpp'],
      cflags: ['-DADDED=4'],
    })
    expect(remarksOf(proposal)).toMatch(
      /setup\.py:3 setup\.py fails: ModuleNotFoundError.* pip install a_module_that_nobody_has/,
    )
  })
})

describe('a script that loads extensions', () => {
  it('is imported up to its first call: names, sources, flags and include paths of load()', async () => {
    const proposal = await propose(copyCase('load_files'))
    expect(proposal).toMatchObject({ source: 'script', buildFile: 'ops.py', files: [] })
    expect(jsonOf(proposal)).toEqual({
      name: 'clipped',
      sources: ['csrc/clipped.cpp'],
      optimization: 'O2',
      cflags: ['-DCLIP_LIMIT=3'],
    })
    const origin = proposal.lines.find(({ text }) => text.includes('CLIP_LIMIT'))?.origin
    expect(origin).toBe('ops.py:7, extra_cflags')
  })

  it('sources given as texts are proposed as files, written when accepted, never over a file', async () => {
    const folder = copyCase('load_strings')
    const before = fs.readFileSync(path.join(folder, 'bench/swish_ops.cpp'), 'utf8')
    const proposal = await propose(folder)
    expect(jsonOf(proposal)).toEqual({
      name: 'swish_ops',
      sources: ['bench/swish_ops_2.cpp'],
      functions: ['swish'],
      optimization: 'O2',
    })
    const [file] = proposal.files
    expect(file).toMatchObject({ origin: 'bench/swish.py:10, cpp_sources' })
    expect(file?.text).toMatch(/^#include <torch\/extension\.h>\n.*swish/)
    const proposed = path.join(folder, 'bench/swish_ops_2.cpp')
    expect(fs.existsSync(proposed)).toBe(false)
    fs.writeFileSync(proposed, 'mine')
    const refused = await writeProposal(folder, proposedText(proposal), proposal.files)
    expect(refused).toMatchObject({ error: { code: 'file.conflict', file: proposed } })
    expect(fs.existsSync(path.join(folder, 'opsmith.json'))).toBe(false)
    expect(fs.readFileSync(proposed, 'utf8')).toBe('mine')
    fs.rmSync(proposed)
    unwrap(await writeProposal(folder, proposedText(proposal), proposal.files))
    expect(fs.readFileSync(proposed, 'utf8')).toBe(file?.text)
    expect(fs.readFileSync(path.join(folder, 'bench/swish_ops.cpp'), 'utf8')).toBe(before)
    fs.rmSync(path.join(folder, 'opsmith.json'))
    const again = await propose(folder)
    expect(again.files).toEqual([])
    expect(jsonOf(again)).toEqual(jsonOf(proposal))
  })

  it('one that loads in a function, or that fails before, is named with its line', async () => {
    const folder = copyCase('no_build_file')
    const start = 'from torch.utils import cpp_extension\n'
    fs.writeFileSync(
      path.join(folder, 'later.py'),
      `${start}def ops():\n    return cpp_extension.load("ops", ["src/half.cpp"])\n`,
    )
    fs.writeFileSync(
      path.join(folder, 'fails.py'),
      `${start}import a_module_that_nobody_has\ncpp_extension.load("ops", ["src/half.cpp"])\n`,
    )
    const proposal = await propose(folder)
    expect(proposal.source).toBe('sources')
    const remarks = remarksOf(proposal)
    expect(remarks).toContain('later.py:3 The script calls load() or load_inline() in a function')
    expect(remarks).toMatch(/fails\.py:2 fails\.py fails before.* pip install a_module_that/)
  })
})

describe('CMake', () => {
  it('that is not installed is named with the command that installs it', async () => {
    const asked = ['-c', 'import sys; print(sys.executable)']
    const real = execFileSync('python3', asked, { encoding: 'utf8' }).trim()
    fs.writeFileSync(python, `#!/bin/sh\nexec ${real} -S "$@"\n`, { mode: 0o755 })
    const folder = copyCase('cmake_option')
    vi.stubEnv('PATH', scratch)
    const proposal = await propose(folder).finally(() => vi.unstubAllEnvs())
    expect(proposal.source).toBe('sources')
    expect(remarksOf(proposal)).toMatch(/cmake is not on PATH\. .*install.* cmake/)
  })

  it('fails with its own message, and with the line of the repository', () => {
    const printed = [
      'CMake Warning (dev) at CMakeLists.txt:2 (project):',
      '  Something else.',
      '',
      'CMake Error at /opt/torch/TorchConfig.cmake:8 (message):',
      '  Your installation depends',
      '  on CUDA.',
      '',
      '  More of it.',
      'Call Stack (most recent call first):',
      '  cmake/find.cmake:7 (find_package)',
      '  CMakeLists.txt:5 (include)',
      '',
      '',
      '-- Configuring incomplete, errors occurred!',
    ].join('\n')
    expect(firstCMakeError(printed, '/repository')).toEqual({
      message: 'Your installation depends on CUDA.',
      file: 'cmake/find.cmake',
      line: 7,
    })
  })
})

describe('without running anything', () => {
  it.each([
    ['cmake_option', 'CMakeLists.txt', ['src/bias.cpp', 'src/device.cpp', 'src/scaled.cpp']],
    ['load_files', 'ops.py', ['csrc/clipped.cpp']],
  ])('of %s the sources are looked at, and %s is named as not run', async (name, file, sources) => {
    const proposal = await propose(copyCase(name), { runsCode: false })
    expect(proposal).toMatchObject({ source: 'sources', notRun: true, buildFile: file, python: '' })
    expect(jsonOf(proposal)).toEqual({ name, sources })
    expect(remarksOf(proposal)).toContain(
      `Opsmith did not run ${file}, so the flags, macros and libraries of this file are missing`,
    )
  })

  it('a script whose sources are texts is refused in a sentence: it must be run first', async () => {
    const folder = copyCase('load_strings')
    const refused = await proposeProject(installation, {
      folder,
      runsCode: false,
      python,
      extension: '',
    })
    expect(refused).toMatchObject({ error: { code: 'project.restricted' } })
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('swish.py') } })
  })

  it('the text of setup.py gives names, sources and macros that are written out', async () => {
    const folder = copyCase('missing_module')
    fs.appendFileSync(path.join(folder, 'setup.py'), `\nopen('${scratch}/ran', 'w')\n`)
    const proposal = await propose(folder, { runsCode: false })
    expect(proposal).toMatchObject({ source: 'text', notRun: true, python: '' })
    expect(jsonOf(proposal)).toMatchObject({ sources: ['src/add.cpp'] })
    expect(fs.existsSync(path.join(scratch, 'ran'))).toBe(false)
  })

  it('a folder without a build file gets the sources that register operators and those next to them', async () => {
    const proposal = await propose(copyCase('no_build_file'))
    expect(proposal.source).toBe('sources')
    expect(jsonOf(proposal)).toEqual({
      name: 'no_build_file',
      sources: ['src/bind.cpp', 'src/half.cpp'],
    })
  })

  it('a folder without operators is refused in a sentence', async () => {
    const folder = path.join(scratch, 'without')
    fs.mkdirSync(folder)
    const request = { folder, runsCode: true, python, extension: '' }
    fs.writeFileSync(path.join(folder, 'README.md'), 'to come')
    const empty = await proposeProject(installation, request)
    expect(empty).toMatchObject({ error: { code: 'project.empty' } })
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'no code')
    const other = await proposeProject(installation, request)
    expect(other).toMatchObject({ error: { code: 'project.missing' } })
  })
})

it('an opsmith.json that is there is neither proposed over nor overwritten', async () => {
  const folder = copyCase('no_build_file')
  unwrap(await writeProposal(folder, '{}\n'))
  expect(await writeProposal(folder, 'other')).toMatchObject({ error: { code: 'file.conflict' } })
  expect(fs.readFileSync(path.join(folder, 'opsmith.json'), 'utf8')).toBe('{}\n')
  const again = await proposeProject(installation, {
    folder,
    runsCode: true,
    python,
    extension: '',
  })
  expect(again).toMatchObject({ error: { code: 'request.invalid' } })
})

describe('flags', () => {
  it('keep their values, and a flag with another value is another flag', () => {
    expect(groupFlags(['-Xcompiler', '-Wall', '-O3', '-gencode', 'arch=compute_90'])).toEqual([
      ['-Xcompiler', '-Wall'],
      ['-O3'],
      ['-gencode', 'arch=compute_90'],
    ])
  })

  it.each([
    ['cxx', ['-march=native'], { marchNative: true }],
    ['cxx', ['-O2'], { optimization: 'O2' }],
    ['cxx', ['-Isrc'], { includePaths: ['src'] }],
    ['cxx', ['-ffast-math'], { cflags: ['-ffast-math'] }],
    ['cxx', ['-fPIC'], {}],
    ['nvcc', ['-Xptxas', '-dlcm=ca'], { cudaCflags: ['-Xptxas', '-dlcm=ca'] }],
    ['nvcc', ['-gencode', 'arch=compute_90a,code=sm_90a'], { cudaArchitectures: ['90a'] }],
    ['nvcc', ['-Xcompiler', '-fopenmp'], {}],
    ['nvcc', ['-rdc=true'], {}],
  ] as const)('of %s: %j', (compiler, group, expected) => {
    const draft = new ProposalDraft()
    carryFlag(draft, group, compiler, { file: 'setup.py', line: 1, what: 'flags' })
    const text = draft.lines().map((line) => line.text)
    expect(JSON.parse(text.join('\n'))).toEqual(expected)
  })
})
