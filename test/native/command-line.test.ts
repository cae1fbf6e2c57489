import { execFile, spawn } from 'node:child_process'
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

  it('an answer that a full disk does not take is an error in one sentence', async () => {
    const cli = path.join(root, 'dist/cli.cjs')
    const script = `"${process.execPath}" "${cli}" schema > /dev/full; echo $?`
    const { stdout, stderr } = await run('bash', ['-c', script])
    expect(stdout).toBe('2\n')
    expect(stderr).toBe('opsmith: Could not write to stdout: the disk is full.\n')
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

  it('a project of odd names and files builds, and shows each step when it starts and ends', async () => {
    const odd = copyProject(path.join(root, 'samples/my_op'), cache)
    const source = path.join(odd, '-o.cpp')
    fs.renameSync(path.join(odd, 'op.cpp'), source)
    fs.appendFileSync(source, `\n// ${Date.now()}\n`)
    fs.symlinkSync('-o.cpp', path.join(odd, 'link.cpp'))
    fs.writeFileSync(path.join(odd, 'build'), 'not a folder')
    const manifest = path.join(odd, 'opsmith.json')
    const text = fs.readFileSync(manifest, 'utf8').replace('"op.cpp"', '"*.cpp"')
    fs.writeFileSync(manifest, `\uFEFF${text}`)
    const { code, stdout, stderr } = await opsmith('build', odd)
    expect(stderr).toMatch(/compile -o\.cpp …\n[^]*compile -o\.cpp: \d+\.\d\d s\n/)
    expect(stderr).toMatch(/link libmy_op\.so …\n[^]*link libmy_op\.so: \d+\.\d\d s\n/)
    expect(stderr).toMatch(
      /could not copy the library to \S+\/build: this path is a file, not a folder\. /,
    )
    expect(stderr).not.toContain('link.cpp')
    expect(code).toBe(0)
    expect(fs.existsSync(stdout.trim())).toBe(true)
    expect((await opsmith('run', odd)).code).toBe(0)
  })

  it('a cache that cannot be written is an error in one sentence', async () => {
    const environment = { ...cache.environment, XDG_CACHE_HOME: '/dev/null' }
    const elsewhere = { ...cache, environment }
    const { code, stderr } = await runOpsmith(elsewhere, 'build', project)
    expect(stderr).toMatch(/^opsmith: Could not (write|open) \/dev\/null\/opsmith\S*: .*\.\n$/)
    expect(code).toBe(2)
  })

  it('SIGTERM ends a command, whatever it does', async () => {
    const endless = copyProject(path.join(root, 'test/cases/crash/endless_loop'), cache)
    const source = path.join(endless, 'op.cpp')
    const text = fs.readFileSync(source, 'utf8')
    const start = 'std::atomic<int64_t> steps = 0;'
    fs.writeFileSync(source, text.replace(start, `${start}\n  std::fputs("in the loop", stderr);`))
    const manifest = path.join(endless, 'opsmith.json')
    const limited = fs.readFileSync(manifest, 'utf8')
    // Longer than this test may take: the signal does not wait for it.
    fs.writeFileSync(manifest, limited.replace('"timeout": 2', '"timeout": 1000'))
    const cli = path.join(root, 'dist/cli.cjs')
    const child = spawn(process.execPath, [cli, 'run', endless], {
      env: { ...process.env, ...cache.environment },
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await expect.poll(() => said, { timeout: 300_000 }).toContain('in the loop')
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
  })

  it('a build that fails exits with 1 and prints its diagnostics, errors before warnings', async () => {
    const broken = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.appendFileSync(path.join(broken, 'op.cpp'), '\n#warning "a warning"\nint broken( {\n')
    const { code, stdout, stderr } = await opsmith('build', broken, '--json')
    expect(code).toBe(1)
    expect(stderr).toMatch(/compile op\.cpp: failed\n[^]*error: [^]*warning: /)
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

  it('doctor --log explains what a build printed, and refuses a file that is not there', async () => {
    const log = path.join(cache.home, 'build.log')
    fs.writeFileSync(log, "[1/2] nvcc\nnvcc error   : 'cicc' died due to signal 9 (Kill signal)\n")
    const known = await opsmith('doctor', '--log', log)
    expect(known).toMatchObject({ code: 0 })
    expect(known.stdout).toMatch(/build\.log:2: nvcc error[\s\S]*→ MAX_JOBS=\d+ /)
    const missing = await opsmith('doctor', '--log', `${log}.none`)
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('Could not read')
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
