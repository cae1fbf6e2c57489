import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'

const run = promisify(execFile)
let cache: TestCache
let project: string

beforeAll(() => {
  cache = makeTestCache()
  project = copyProject(path.join(root, 'samples/my_op'), cache)
})
afterAll(() => {
  cache.remove()
})

const opsmith = async (...args: string[]): Promise<Outcome> => await runOpsmith(cache, ...args)

describe('the opsmith command', () => {
  it('the command ends silently when its output is closed', async () => {
    const cli = path.join(root, 'dist/cli.cjs')
    const script = `"${process.execPath}" "${cli}" schema | head -c 10`
    const { stdout, stderr } = await run('bash', ['-c', script])
    expect(stdout).toHaveLength(10)
    expect(stderr).toBe('')
  })

  it('--version prints the version, and an unknown verb gets an error that names the help', async () => {
    const { version } = JSON.parse(
      fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
    ) as Record<string, string>
    expect(await opsmith('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
    const wrong = await opsmith('build', project, '--jsno')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/--jsno[^]*--help/)
  })

  it('build --json prints the published form and nothing else on stdout', async () => {
    const { code, stdout } = await opsmith('build', project, '--json')
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as Record<string, unknown>
    expect(report).toMatchObject({ ok: true, diagnostics: [] })
    expect(fs.existsSync(String(report['library']))).toBe(true)
    expect(typeof report['seconds']).toBe('number')
  })

  it('schemas --json lists operators with their kernels and source places', async () => {
    const { code, stdout } = await opsmith('schemas', project, '--json')
    expect(code).toBe(0)
    const { operators } = JSON.parse(stdout) as {
      operators: {
        name: string
        schema: string
        kernels: { dispatchKey: string; file: string; line: number }[]
      }[]
    }
    const names = operators.map((item) => item.name)
    expect(names).toEqual(
      expect.arrayContaining(['my_op::forward', 'my_op::backward', 'my_op::my_op']),
    )
    const forward = operators.find((item) => item.name === 'my_op::forward')
    expect(forward?.schema).toMatch(/Tensor x, Tensor y/)
    expect(forward?.kernels[0]?.file).toMatch(/op\.cpp$/)
    expect(forward?.kernels[0]?.line).toBeGreaterThan(0)
  })

  it('run --json makes every call and compares the results', async () => {
    const { code, stdout } = await opsmith('run', project, '--json')
    expect(code).toBe(0)
    const { calls } = JSON.parse(stdout) as {
      calls: {
        op: string
        ok: boolean
        outputs: { shape: number[]; dtype: string; stats: { count: number } }[]
      }[]
    }
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) {
      expect(call.ok).toBe(true)
      expect(call.outputs[0]?.stats.count).toBeGreaterThan(0)
    }
  })

  it('a build that fails exits with 1 and prints its diagnostics', async () => {
    const broken = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.appendFileSync(path.join(broken, 'op.cpp'), '\nint broken( {\n')
    const { code, stdout } = await opsmith('build', broken, '--json')
    expect(code).toBe(1)
    const report = JSON.parse(stdout) as {
      ok: boolean
      diagnostics: { file: string; line: number; severity: string }[]
    }
    expect(report.ok).toBe(false)
    expect(report.diagnostics[0]).toMatchObject({
      severity: 'error',
      file: path.join(broken, 'op.cpp'),
    })
  })

  it('a result that differs from its reference exits with 1', async () => {
    const wrong = copyProject(path.join(root, 'samples/my_op'), cache)
    const file = path.join(wrong, 'opsmith.json')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"3 * x - y"', '"2 * x - y"'))
    const { code, stdout } = await opsmith('run', wrong)
    expect(code).toBe(1)
    expect(stdout).toContain('differs from 2 * x - y')
  })

  it('a command that cannot give an answer exits with 2 and prints no stack trace', async () => {
    for (const args of [
      ['build', '/no/such/project'],
      ['build'],
      ['nonsense'],
      ['build', project, '--nonsense'],
    ]) {
      const { code, stderr } = await opsmith(...args)
      expect(code).toBe(2)
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(stderr.length).toBeGreaterThan(5)
    }
  })

  it('doctor --json judges the tools of this machine', async () => {
    const { code, stdout } = await opsmith('doctor', '--json')
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as {
      ok: boolean
      findings: { kind: string; chosen: boolean }[]
    }
    expect(report.ok).toBe(true)
    for (const kind of ['compiler', 'libtorch', 'addon']) {
      expect(report.findings.some((finding) => finding.kind === kind && finding.chosen)).toBe(true)
    }
  })

  it('build leaves an addon that plain Node can load', async () => {
    await opsmith('build', project)
    const script = `
      const addon = require(${JSON.stringify(path.join(project, 'build/my_op.node'))})
      const x = { dtype: 'float64', shape: [2], data: new Float64Array([1, 2]) }
      const y = { dtype: 'float64', shape: [2], data: new Float64Array([5, 7]) }
      const z = addon.my_op(x, y)
      console.log(JSON.stringify([z.shape, z.dtype, [...z.data]]))`
    const { stdout } = await run(process.execPath, ['-e', script])
    expect(JSON.parse(stdout)).toEqual([[2], 'float64', [-2, -1]])
  })
})
