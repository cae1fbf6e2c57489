import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { defaultBuildOptions } from '../../electron/contract/build-options'
import type { FormReport } from '../../electron/contract/export'
import { findProofTools } from '../../electron/engine/project-export/proof/tools'
import { chooseToolchain } from '../../electron/engine/toolchain/choose'
import { findOnPath } from '../../electron/engine/toolchain/find-on-path'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { makeTestCache, root, testInstallation } from '../support/installation'
import type { TestCache } from '../support/installation'
import { python } from '../support/python'

/** Lean headers only: the one source that is compiled here without precompiled ones. */
const source = `#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>
#include <torch/library.h>
#include <Python.h>

// As in PyTorch's template: an import of this empty module loads the library.
extern "C" {
  PyObject* PyInit__C(void)
  {
      static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL};
      return PyModule_Create(&module_def);
  }
}

#if defined(Py_LIMITED_API) && defined(TORCH_API_INCLUDE_EXTENSION_H)
#error torch/torch.h would include headers of Python that the limited API leaves out
#endif

namespace {

/// x of any shape. Returns factor * x.
at::Tensor scaled(const at::Tensor& x, double factor) {
  TORCH_CHECK(factor != 13, "scaled: 13 is refused");
  return at::mul(x, at::Scalar(factor));
}

/// Writes factor * x to out, and returns nothing.
void scaled_into(const at::Tensor& x, double factor, at::Tensor& out) {
  out.copy_(at::mul(x, at::Scalar(factor)));
}

TORCH_LIBRARY(scale, m) {
  m.def("scaled(Tensor x, float factor=2.) -> Tensor", &scaled);
  m.def("scaled_into(Tensor x, float factor, Tensor(a!) out) -> ()", &scaled_into);
}

}  // namespace
`

const manifest = {
  name: 'scale',
  description: 'A tensor times a number',
  version: '1.2.3',
  license: 'MIT',
  sources: ['op.cpp'],
  program: 'program.py',
  inputs: {
    x: { shape: [2, 3], dtype: 'float64', seed: 1, requires_grad: true },
    y: { shape: [2, 3], dtype: 'float64', seed: 2 },
    out: { shape: [2, 3], dtype: 'float64', distribution: 'zeros' },
  },
  calls: [
    { op: 'scale::scaled', args: ['x', 3] },
    { op: 'twice', args: ['x'] },
    { op: 'scale::scaled_into', args: ['y', 3, 'out'] },
  ],
  gradchecks: [{ op: 'scale::scaled', args: ['x', 3] }],
}

const program = `import torch


def twice(x):
    return torch.ops.scale.scaled(x, 2.0)
`

interface Answer {
  ok: boolean
  forms: (Omit<FormReport, 'steps'> & {
    untried: string[]
    steps: {
      name: string
      ok: boolean
      status: string
      seconds: number
      log: string
      reason?: string
    }[]
  })[]
  error?: { code: string; message: string; hint?: string }
}

let cache: TestCache
let project: string
let out: string

const opsmith = async (...args: string[]): Promise<Outcome> => await runOpsmith(cache, ...args)

async function exportJson(...args: string[]): Promise<{ code: number; answer: Answer }> {
  const { code, stdout, stderr } = await opsmith('export', ...args, '--json')
  expect(stderr).not.toContain('a bug in Opsmith')
  return { code, answer: JSON.parse(stdout) as Answer }
}

function writeProject(name: string, more: object, text = source): string {
  const folder = path.join(cache.home, name)
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify({ ...manifest, ...more }))
  fs.writeFileSync(path.join(folder, 'op.cpp'), text)
  fs.writeFileSync(path.join(folder, 'program.py'), program)
  return folder
}

function filesBelow(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .sort()
}

/** A mount of a file system of its own, or why there is none. */
function mountSmall(folder: string, options: string): string {
  fs.mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' })
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const statusOf = (form: Answer['forms'][number] | undefined): Record<string, string> =>
  Object.fromEntries((form?.steps ?? []).map((step) => [step.name, step.status]))

beforeAll(() => {
  cache = makeTestCache()
  project = writeProject('scale', {})
  fs.writeFileSync(path.join(project, 'LICENSE'), 'Free.\n')
  out = path.join(cache.home, 'out')
})
afterAll(() => {
  cache.remove()
})

describe('opsmith export', () => {
  it('the possible forms are listed, and each line that keeps a source from the stable ABI', async () => {
    const { code, stdout } = await opsmith('export', project, '--list', '--json')
    expect(code).toBe(0)
    const { forms } = JSON.parse(stdout) as {
      forms: { form: string; possible: boolean; obstacles: object[] }[]
    }
    expect(forms.filter(({ possible }) => !possible).map(({ form }) => form)).toEqual(['stable'])
    expect(forms.find(({ form }) => form === 'stable')?.obstacles).toContainEqual({
      file: 'op.cpp',
      line: 3,
      message: 'includes <torch/library.h>',
    })
  })

  it('sources on the stable ABI are exported in the stable form, with its package', async () => {
    const stable = path.join(cache.home, 'stable')
    const unbuilt = (name: string): boolean => path.basename(name) !== 'build'
    const project = path.join(root, 'test/cases/export/stable')
    fs.cpSync(project, stable, { recursive: true, filter: unbuilt })
    const { stdout } = await opsmith('export', stable, '--list', '--json')
    const { forms } = JSON.parse(stdout) as { forms: { possible: boolean; obstacles: object[] }[] }
    expect(forms.filter(({ possible, obstacles }) => !possible || obstacles.length > 0)).toEqual([])

    const target = path.join(cache.home, 'stable-out')
    const written = await exportJson(
      stable,
      '--as',
      'stable,setuptools',
      '--no-proof',
      '--out',
      target,
    )
    expect(written).toMatchObject({ code: 0, answer: { ok: true } })
    expect(filesBelow(path.join(target, 'stable'))).toEqual([
      'MANIFEST.in',
      'README.md',
      'csrc/op.cpp',
      'opsmith-export.json',
      'pyproject.toml',
      'python/stable_threshold/__init__.py',
      'python/stable_threshold/__init__.pyi',
      'python/stable_threshold/py.typed',
      'setup.py',
      'tests/data/call-1-soft_threshold.pt',
      'tests/data/call-2-soft_threshold.pt',
      'tests/recorded.py',
      'tests/test_calls.py',
      'tests/test_operators.py',
    ])
    const read = (name: string): string => fs.readFileSync(path.join(target, name), 'utf8')
    const setup = read('stable/setup.py')
    expect(setup).toContain('("TORCH_STABLE_ONLY", None)')
    const [, major = '', minor = ''] =
      /"TORCH_TARGET_VERSION", "0x(..)(..)0{12}"/.exec(setup)?.map((part) => parseInt(part, 16)) ??
      []
    // What its macro promises is what pip is told; the other form asks for what it was built with.
    expect(read('stable/pyproject.toml')).toContain(`dependencies = ["torch>=${major}.${minor}"]`)
    expect(read('stable/README.md')).toContain(`every libtorch from ${major}.${minor} on`)
    // It has no gradchecks, and does not say that it had.
    expect(read('stable/README.md')).toContain(
      'The tests repeat the calls that Opsmith recorded at the export and check op',
    )
    expect(read('stable/README.md')).not.toContain('gradcheck')
    expect(setup).not.toContain('install_requires')
    // The licence where every setuptools takes it: older ones know no text, newer ones no table.
    expect(read('setuptools/pyproject.toml')).toContain('dynamic = ["dependencies", "license"]')
    expect(read('stable/pyproject.toml')).toContain('dynamic = ["license"]')
    expect(setup).toContain('license="MIT"')
    expect(read('setuptools/setup.py')).not.toContain('TORCH_STABLE_ONLY')
  })

  it('forms are written and proven in an empty folder', async () => {
    const { code, answer } = await exportJson(
      project,
      '--as',
      'library,setuptools,addon,notebook',
      '--out',
      out,
    )
    const failed = answer.forms.flatMap((form) =>
      form.steps
        .filter((step) => !step.ok)
        .map((step) => `${form.form}: ${step.reason}\n${step.log}`),
    )
    expect(failed).toEqual([])
    expect(code).toBe(0)
    expect(answer.ok).toBe(true)
    const [library, setuptools, addon, notebook] = answer.forms
    expect(library?.directory).toBe(path.join(out, 'library'))
    if (python !== '') {
      expect(statusOf(library)).toMatchObject({
        'calls in Python': 'ok',
        'gradients in Python': 'ok',
        'torch.library.opcheck': 'ok',
        'calls in C++ (3)': 'ok',
      })
      const { log: called } = library?.steps.find(({ name }) => name === 'calls in Python') ?? {}
      expect(called).toContain('call-1-scaled: matches bit for bit')
      expect(called).toContain('call-3-scaled_into: matches bit for bit')
      expect(statusOf(setuptools)).toMatchObject({
        'build the wheel': 'ok',
        'install into a fresh environment': 'ok',
        'calls in Python': 'ok',
        'gradients in Python': 'ok',
      })
      expect(setuptools?.steps.find(({ name }) => name === 'build the wheel')?.log).toContain(
        'scale-1.2.3-cp39-abi3-linux',
      )
      // libtorch keeps its C++ ABI within a minor version.
      const { log } = setuptools?.steps.find(({ name }) => name.startsWith('install')) ?? {}
      const [, minor = 'none', next] = /requires torch<2\.(\d+),>=2\.(\d+)/.exec(log ?? '') ?? []
      expect(Number(minor), log).toBe(Number(next) + 1)
      expect(log).toContain('license MIT')
      const [wheel = ''] = setuptools?.products ?? []
      expect(wheel).toMatch(/^dist\/scale-1\.2\.3-cp39-abi3-linux_\w+\.whl$/)
      expect(filesBelow(path.join(out, 'setuptools'))).toContain(wheel)
      expect(answer.forms.map(({ products }) => products.length)).toEqual([0, 1, 0, 0])
      const ran = statusOf(notebook)
      const jupyter = 'run it in Jupyter' in ran && ran['run it in Jupyter'] !== 'skipped'
      expect(ran[jupyter ? 'run it in Jupyter' : 'run the cells in order']).toBe('ok')
    }
    // What was not made did not fail; each form says by name what that was.
    for (const form of answer.forms) {
      const skipped = form.steps.filter((step) => step.status === 'skipped')
      expect(form.untried).toEqual(skipped.map((step) => `${step.name}: ${step.reason}`))
      expect(fs.readFileSync(path.join(form.directory, 'LICENSE'), 'utf8')).toBe('Free.\n')
    }
    expect(statusOf(addon)).toMatchObject({ 'pack and install': 'ok', 'calls in Node (2)': 'ok' })
    // Compilers, pip, npm and torch, four times over: a loaded machine takes its time.
  }, 1_800_000)

  it('the reported ABI is the one that readelf reads', () => {
    const text = fs.readFileSync(path.join(out, 'library/ABI.md'), 'utf8')
    const file = path.join(out, 'library/libscale.so')
    const elf = execFileSync('readelf', ['--wide', '-d', '-V', file], { encoding: 'utf8' })
    for (const [, name] of elf.matchAll(/\(NEEDED\).*\[(.+)\]/g))
      expect(text).toContain(`\`${name ?? ''}\``)
    const versions = [...elf.matchAll(/Name: GLIBC_([\d.]+)/g)].map((match) => match[1] ?? '')
    const highest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
    expect(text).toContain(`| glibc | ${highest ?? ''} or newer |`)
    expect(elf).toContain('[$ORIGIN]')
    // Python's module is none: nobody may import it.
    const symbols = execFileSync('readelf', ['--wide', '--dyn-syms', file], { encoding: 'utf8' })
    expect(symbols).toContain('torch')
    expect(symbols).not.toContain('PyInit')
  })

  it('no exported file names a folder of this machine', () => {
    const secrets = [
      cache.home,
      root,
      process.env['HOME'] ?? '/root',
      '.cache/opsmith',
      '/usr/lib/llvm',
    ]
    for (const name of filesBelow(out)) {
      const content = fs.readFileSync(path.join(out, name))
      const found = secrets.filter((secret) => content.includes(secret))
      expect(found, name).toEqual([])
    }
  })

  it('exported Python is no wider than Black allows, except in texts and comments', () => {
    const files = filesBelow(out).filter(
      (name) => /\.pyi?$/.test(name) && !name.endsWith('program.py'),
    )
    expect(files.length).toBeGreaterThan(6)
    for (const name of files) {
      const lines = fs.readFileSync(path.join(out, name), 'utf8').split('\n')
      const wide = lines.filter((line) => line.length > 88 && !/"{3}|^\s*#/.test(line))
      expect(wide, name).toEqual([])
    }
  })

  it('the exported types are accepted by TypeScript', () => {
    const file = path.join(out, 'addon/index.d.ts')
    const checked = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
    })
    expect(ts.getPreEmitDiagnostics(checked).map((one) => one.messageText)).toEqual([])
    expect(fs.readFileSync(file, 'utf8')).toContain(
      'export function scaled(x: Tensor, factor?: number): Tensor',
    )
  })

  it('exporting again gives the same bytes and keeps files that were changed by hand', async () => {
    const again = path.join(cache.home, 'again')
    const forms = ['--as', 'library,setuptools,addon,notebook', '--no-proof']
    expect((await exportJson(project, ...forms, '--out', again)).code).toBe(0)
    // The wheel comes with the proof.
    const written = filesBelow(out).filter((name) => !name.endsWith('.whl'))
    expect(filesBelow(again)).toEqual(written)
    for (const name of written) {
      const [one, other] = [out, again].map((folder) => fs.readFileSync(path.join(folder, name)))
      expect(one?.equals(other ?? Buffer.alloc(0)), name).toBe(true)
    }
    const diff = ['export', project, '--as', 'addon', '--out', again, '--diff']
    expect(await opsmith(...diff)).toMatchObject({ code: 0, stdout: 'nothing would change\n' })

    const index = path.join(again, 'addon/index.js')
    const original = fs.readFileSync(index, 'utf8')
    fs.writeFileSync(index, `// mine\n${original}`)
    fs.writeFileSync(path.join(again, 'addon/notes.txt'), 'mine too')
    const shown = await opsmith(...diff)
    expect(shown.code).toBe(1)
    expect(shown.stdout).toContain(
      'index.js: the export would change this file; it was changed by hand',
    )
    expect(shown.stdout).toContain('\n-// mine\n')

    const addon = [project, '--as', 'addon', '--no-proof', '--out', again]
    const refused = await exportJson(...addon)
    expect(refused.code).toBe(2)
    expect(refused.answer.forms[0]?.error).toMatchObject({
      code: 'file.conflict',
      message: 'addon/index.js was changed by hand since the export.',
    })
    expect((await exportJson(...addon, '--keep', 'addon/index.js')).code).toBe(0)
    expect(fs.readFileSync(index, 'utf8')).toBe(`// mine\n${original}`)
    expect((await exportJson(...addon, '--overwrite')).code).toBe(0)
    expect(fs.readFileSync(index, 'utf8')).toBe(original)
    expect(fs.readFileSync(path.join(again, 'addon/notes.txt'), 'utf8')).toBe('mine too')
    // Seven runs of the command line.
  }, 1_200_000)
})

describe('opsmith export, with bad input', () => {
  it('a wrong form, a wrong package name and a failing build each get an error that states what to do', async () => {
    const form = await exportJson(project, '--as', 'exe', '--out', out)
    expect(form).toMatchObject({ code: 2, answer: { error: { code: 'request.invalid' } } })
    expect(form.answer.error?.hint).toContain('library, cmake')
    const nowhere = await exportJson(project, '--as', 'library')
    expect(nowhere.answer.error?.message).toContain('--out DIR')

    const named = writeProject('named', { packageName: 'class' })
    const target = path.join(cache.home, 'named-out')
    const refused = await exportJson(named, '--as', 'setuptools', '--out', target)
    expect(refused.code).toBe(2)
    expect(refused.answer.forms[0]?.error?.message).toContain('a keyword of Python')
    expect(fs.existsSync(target)).toBe(false)

    const broken = writeProject('broken', {}, `${source}\nint f( {\n`)
    const failed = await exportJson(broken, '--as', 'library', '--out', target)
    expect(failed).toMatchObject({
      code: 2,
      answer: { ok: false, error: { code: 'build.required' } },
    })
    expect(failed.answer.error?.message).toContain('does not build')
    expect(fs.existsSync(target)).toBe(false)
  })

  it('a folder that holds other files is not touched', async () => {
    const taken = path.join(cache.home, 'taken')
    fs.mkdirSync(path.join(taken, 'link'), { recursive: true })
    fs.writeFileSync(path.join(taken, 'link/thesis.txt'), 'the only copy')
    const { code, answer } = await exportJson(project, '--as', 'link', '--no-proof', '--out', taken)
    expect(code).toBe(2)
    expect(answer.forms[0]?.error?.code).toBe('file.conflict')
    expect(filesBelow(taken)).toEqual(['link/thesis.txt'])
  })

  it.each([
    ['a full disk', 'size=64k', 'the disk is full'],
    ['a read-only folder', 'size=64k,ro', 'the file system is read-only'],
  ])('an export that fails on %s leaves no partial files', async (name, options, message) => {
    const folder = path.join(cache.home, name.replaceAll(' ', '-'))
    const refused = mountSmall(folder, options)
    if (refused !== '') {
      console.warn(`not tried: no tmpfs could be mounted here: ${refused}`)
      return
    }
    try {
      const target = path.join(folder, 'new/out')
      const { code, answer } = await exportJson(project, '--as', 'library', '--out', target)
      expect(code).toBe(2)
      expect(answer.forms[0]?.error?.message).toContain(message)
      expect(answer.forms[0]?.error?.hint).toContain('Choose a writable folder')
      expect(fs.readdirSync(folder)).toEqual([])
    } finally {
      execFileSync('umount', [folder])
    }
  })

  it('a proof whose calls give other results fails, and the files stay', async () => {
    const other = source.replace('factor != 13', 'std::getenv("XDG_CACHE_HOME") != nullptr')
    const folder = writeProject('homesick', {}, `#include <cstdlib>\n${other}`)
    const target = path.join(cache.home, 'homesick-out')
    const { code, answer } = await exportJson(folder, '--as', 'addon', '--out', target)
    expect(code).toBe(1)
    expect(answer.forms[0]).toMatchObject({ ok: false, directory: path.join(target, 'addon') })
    expect(answer.forms[0]?.steps.at(-1)).toMatchObject({ name: 'calls in Node (2)', ok: false })
    expect(answer.forms[0]?.steps.at(-1)?.log).toContain('13 is refused')
    expect(fs.existsSync(path.join(target, 'addon/index.js'))).toBe(true)
  })

  it('a gradient check that fails in Python is named with its error', async (context) => {
    if (python === '') return context.skip('no Python has this torch')
    // float32 has no seven digits to spare: the numerical Jacobian is noise.
    const gradchecks = [
      ...manifest.gradchecks,
      { op: 'scale::scaled', args: ['x', 3], dtype: 'float32', eps: 1e-7 },
    ]
    const folder = writeProject('noisy', { gradchecks })
    const target = path.join(cache.home, 'noisy-out')
    const { code, answer } = await exportJson(folder, '--as', 'library', '--out', target)
    expect(code).toBe(1)
    const step = answer.forms[0]?.steps.at(-1)
    expect(step).toMatchObject({ name: 'gradients in Python', ok: false, status: 'failed' })
    expect(step?.reason).toContain(
      'test_gradcheck_2_scaled, scale::scaled(x, 3), float32, eps 1e-7: AssertionError: gradcheck: Jacobian mismatch for output 0 with respect to input 0',
    )
  }, 600_000)

  it('missing Python and missing CMake are reported with what to install', async () => {
    const installation = testInstallation(cache)
    const toolchain = await chooseToolchain(installation, {
      compiler: '',
      libtorch: '',
      gpu: 'auto',
      options: defaultBuildOptions,
    })
    if (!toolchain.ok) throw new Error(toolchain.error.message)
    // Tools of the engine, and nothing that proofs use.
    const folder = path.join(cache.home, 'few-tools')
    fs.mkdirSync(folder)
    for (const name of ['strip', 'sh', 'true']) {
      const found = findOnPath(name)
      if (found !== undefined) fs.symlinkSync(found, path.join(folder, name))
    }
    const saved = { PATH: process.env['PATH'], OPSMITH_PYTHON: process.env['OPSMITH_PYTHON'] }
    const elsewhere = path.join(cache.home, 'elsewhere')
    fs.mkdirSync(elsewhere)
    fs.symlinkSync(toolchain.value.libtorch.folder, path.join(elsewhere, 'torch'))
    try {
      process.env['PATH'] = folder
      delete process.env['OPSMITH_PYTHON']
      const libtorch = { ...toolchain.value.libtorch, folder: path.join(elsewhere, 'torch') }
      const tools = await findProofTools(
        { ...installation, root: elsewhere },
        { ...toolchain.value, libtorch },
      )
      expect(tools.python.problem).toContain(`pip install torch==`)
      expect(tools.cmake.problem).toMatch(/cmake is not installed: .*install.* cmake/)
      expect(tools.offline).toEqual([])

      process.env['PATH'] = folder
      const { code, stdout } = await opsmith(
        'export',
        project,
        '--as',
        'cmake',
        '--out',
        path.join(cache.home, 'no-cmake'),
        '--json',
      )
      expect(code).toBe(0)
      const { forms } = JSON.parse(stdout) as Answer
      expect(forms[0]?.steps.at(-1)).toMatchObject({
        name: 'build and run in C++',
        status: 'skipped',
        reason: tools.cmake.problem,
      })
      // It would be every folder that libtorch was linked with, MKL's on its maker's machine among them.
      const lists = fs.readFileSync(path.join(cache.home, 'no-cmake/cmake/CMakeLists.txt'), 'utf8')
      expect(lists).not.toContain('RPATH_USE_LINK_PATH')
      expect(lists).toContain(`set(CMAKE_INSTALL_RPATH "$ORIGIN" "\${TORCH_INSTALL_PREFIX}/lib")`)
    } finally {
      Object.assign(process.env, saved)
      if (saved.OPSMITH_PYTHON === undefined) delete process.env['OPSMITH_PYTHON']
    }
  })
})
