import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { defaultHostLimits } from '../../electron/engine/host/host-client'
import { inputSpec } from '../../electron/contract/manifest'
import { removeLeftovers, removeProjectLeftovers } from '../../electron/engine/builds/leftovers'
import { processNamespace } from '../../electron/engine/toolchain/process-tree'
import { opsmith } from '../support/command-line'
import { makeTestCache, root, sharedFolders } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ settings: { memoryLimit: 3 * 2 ** 30 } })

const source = `
#include <torch/library.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
// Notes the numbers of the processes in a file; every second one is in a session of its own.
at::Tensor start(const at::Tensor& x, int64_t count, std::string pids) {
  for (int64_t i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 == 1) setsid();
      sleep(600);
      _exit(0);
    }
    std::ofstream(pids, std::ios::app) << child << "\\n";
  }
  return x.clone();
}
at::Tensor start_and_wait(const at::Tensor& x, int64_t count, std::string pids) {
  start(x, count, pids);
  sleep(600);
  return x.clone();
}
at::Tensor child_exits(const at::Tensor& x) {
  const pid_t child = fork();
  if (child == 0) std::exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  return x + WEXITSTATUS(status);
}
at::Tensor leave_file(const at::Tensor& x, std::string name) {
  std::ofstream(std::string(std::getenv("TMPDIR")) + "/" + name) << "left behind";
  return x.clone();
}
TORCH_LIBRARY(starts, m) {
  m.def("start(Tensor x, int count, str pids) -> Tensor", start);
  m.def("start_and_wait(Tensor x, int count, str pids) -> Tensor", start_and_wait);
  m.def("child_exits(Tensor x) -> Tensor", child_exits);
  m.def("leave_file(Tensor x, str name) -> Tensor", leave_file);
}
`

let folder: string
let pidFile: string
/** Compiled once; the command line finds it in the cache. */
beforeAll(async () => {
  folder = path.join(cache.home, 'starts')
  pidFile = path.join(cache.home, 'pids')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  fs.writeFileSync(
    path.join(folder, 'opsmith.json'),
    JSON.stringify({
      name: 'starts',
      sources: ['op.cpp'],
      inputs: { x: { shape: [2] } },
      calls: [{ op: 'starts::start', args: ['x', 6, pidFile], reference: 'x' }],
    }),
  )
  const built = await workbench.builds.build(folder)
  expect(built).toMatchObject({ ok: true, value: { ok: true } })
})
afterEach(() => {
  fs.rmSync(pidFile, { force: true })
})

const startedPids = (): number[] =>
  fs.existsSync(pidFile) ? fs.readFileSync(pidFile, 'utf8').trim().split('\n').map(Number) : []

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const running = (): number[] => startedPids().filter(isRunning)

async function call(op: string, ...args: (string | number)[]): Promise<void> {
  const result = await workbench.runs.run(
    folder,
    {
      op,
      args: ['x', ...args],
      inputs: { x: inputSpec.parse({ shape: [2], distribution: 'ones' }) },
    },
    { timeout: 60 },
  )
  if (!result.ok) throw new Error(result.error.message)
}

describe('processes that an operator starts', () => {
  it('sixty of them live while the op host does, and end when it is restarted', async () => {
    await call('starts::start', 60, pidFile)
    expect(running()).toHaveLength(60)
    await workbench.hosts.restart()
    await expect.poll(running).toEqual([])
  })

  it('the command line answers and ends, and so do they', async () => {
    // They live for ten minutes. A command line that waited for them would take longer than this test may.
    const { code, stdout } = await opsmith(cache, 'run', folder)
    expect(stdout).toContain('starts::start')
    expect(code).toBe(0)
    expect(startedPids()).toHaveLength(6)
    // What is killed is gone a moment later.
    await expect.poll(running).toEqual([])
  })

  it('they end with a command line that is killed, those in a session of their own too', async () => {
    const other = path.join(cache.home, 'waits')
    fs.cpSync(folder, other, { recursive: true })
    const manifest = path.join(other, 'opsmith.json')
    const text = fs.readFileSync(manifest, 'utf8')
    fs.writeFileSync(manifest, text.replace('starts::start', 'starts::start_and_wait'))
    const child = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), 'run', other], {
      env: { ...process.env, ...cache.environment },
      stdio: 'ignore',
    })
    await expect.poll(() => startedPids().length).toBe(6)
    child.kill('SIGKILL')
    await expect.poll(running).toEqual([])
  })
})

describe('a command line whose terminal is closed', () => {
  it('its compiler ends with it', async () => {
    const slow = path.join(cache.home, 'slow')
    fs.mkdirSync(slow)
    fs.writeFileSync(
      path.join(slow, 'opsmith.json'),
      JSON.stringify({ name: 'slow', sources: ['op.cpp'] }),
    )
    // A compiler waits for somebody who writes to a named pipe: it never ends by itself.
    const pipe = path.join(cache.home, 'never.h')
    execFileSync('mkfifo', [pipe])
    fs.writeFileSync(path.join(slow, 'op.cpp'), `#include "${pipe}"\n// ${Math.random()}\n`)
    const compilers = (): string[] =>
      fs.readdirSync('/proc').filter((pid) => {
        try {
          return fs.readlinkSync(`/proc/${pid}/cwd`) === slow && isRunning(Number(pid))
        } catch {
          return false
        }
      })
    const child = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), 'build', slow], {
      env: { ...process.env, ...cache.environment },
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await expect.poll(() => compilers().length).toBeGreaterThan(0)
    child.kill('SIGHUP')
    await ended
    await expect.poll(compilers).toEqual([])
  })
})

describe('the end of a process that an operator starts', () => {
  it("is not that of the op host, and leaves nothing in the op host's crash report", async () => {
    await call('starts::child_exits')
    const { pid } = workbench.hosts.state()
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => workbench.hosts.state().lastExit?.reason).toBe('killed')
  })
})

describe('what is left of a process that was killed', () => {
  // Containers of other tests may use the shared folders.
  const own = makeTestCache(sharedFolders)
  afterAll(() => {
    own.remove()
  })

  it('more temporary files than the limit end the op host', async () => {
    const { temporaryBytes } = defaultHostLimits
    defaultHostLimits.temporaryBytes = 3
    try {
      await workbench.hosts.restart()
      // The limit may end the op host before it answers.
      await call('starts::leave_file', 'left.txt').catch(() => undefined)
      await expect.poll(() => workbench.hosts.state().lastExit?.reason).toBe('temporary-files')
    } finally {
      defaultHostLimits.temporaryBytes = temporaryBytes
    }
  })

  it("an op host's temporary files go with it", async () => {
    await call('starts::leave_file', 'left.txt')
    const hosts = path.join(cache.folder, 'hosts')
    const files = (): string[] =>
      fs
        .readdirSync(hosts, { recursive: true, encoding: 'utf8' })
        .filter((name) => /left/.test(name))
    expect(files()).toHaveLength(1)
    await workbench.hosts.restart()
    await expect.poll(files).toEqual([])
  })

  it('the next start removes temporary files and processes of the dead, and no others', async () => {
    const hosts = path.join(own.folder, 'hosts')
    const gone = spawn('true')
    await new Promise((resolve) => gone.once('exit', resolve))
    const dead = path.join(hosts, `${gone.pid}-1-0123abcd`)
    const alive = path.join(hosts, `${process.pid}-99-0123abcd`)
    const proof = (pid = 0): string => path.join(os.tmpdir(), `opsmith-proof-${pid}-0123abcd`)
    const proofs = [proof(gone.pid), proof(process.pid)]
    for (const name of [dead, alive, ...proofs])
      fs.mkdirSync(path.join(name, 'tmp'), { recursive: true })
    const prelude = path.join(own.folder, `prelude-full.cpp.${gone.pid}-0123abcd`)
    fs.writeFileSync(prelude, '')
    const compiling = path.join(own.folder, 'objects', `tmp.${gone.pid}-0123abcd`)
    fs.mkdirSync(compiling, { recursive: true })
    // As a save that was cut short leaves them, in the cache and in a project.
    const half = (folder: string, pid = 0): string => {
      fs.mkdirSync(path.join(own.home, folder), { recursive: true })
      const file = path.join(own.home, folder, `.op.cpp.opsmith-${pid}-0123abcd`)
      fs.writeFileSync(file, 'half')
      return file
    }
    const [drafts, saving] = [half('opsmith/drafts/0123', gone.pid), half('saved/src', gone.pid)]
    const settings = half('opsmith', gone.pid)
    const [draft, saved] = [half('opsmith/drafts/0123', process.pid), half('saved', process.pid)]
    // A number that is no process, and no name of ours.
    const backup = path.join(own.home, 'saved', '.op.cpp.20261123-0123abcd')
    fs.writeFileSync(backup, 'whole')
    const orphan = (owner: string): number | undefined =>
      spawn('sleep', ['600'], {
        env: { ...process.env, OPSMITH_STARTED_BY: `${owner}.id` },
        detached: true,
        stdio: 'ignore',
      }).pid
    const ours = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19] ?? ''
    const namespace = processNamespace()
    const lost = orphan(`${gone.pid}.123.${namespace}`) ?? 0
    const kept = orphan(`${process.pid}.${ours}.${namespace}`) ?? 0
    // To processes of this machine, those of a container have other numbers than their owners know.
    const contained = orphan(`${gone.pid}.123.1`) ?? 0
    try {
      await removeLeftovers(own.places)
      await removeProjectLeftovers(path.join(own.home, 'saved'), own.places)
      const left = [dead, prelude, compiling, settings, drafts, saving, proofs[0] ?? '']
      expect(left.filter((file) => fs.existsSync(file))).toEqual([])
      const used = [alive, draft, saved, backup, proofs[1] ?? '']
      expect(used.filter((file) => !fs.existsSync(file))).toEqual([])
      await expect.poll(() => isRunning(lost)).toBe(false)
      expect([kept, contained].map(isRunning)).toEqual([true, true])
    } finally {
      for (const pid of [kept, contained]) process.kill(pid, 'SIGKILL')
      fs.rmSync(proof(process.pid), { recursive: true })
    }
  })

  it('temporary files stay where a container uses the cache too: its processes have other numbers', async () => {
    const gone = spawn('true')
    await new Promise((resolve) => gone.once('exit', resolve))
    const compiling = path.join(own.folder, `prelude-full.cpp.${gone.pid}-4567cdef`)
    fs.writeFileSync(compiling, '')
    const container = path.join(own.folder, 'users', `${os.hostname()}-1`)
    fs.mkdirSync(path.dirname(container))
    fs.writeFileSync(container, '')
    await removeLeftovers(own.places)
    expect(fs.existsSync(compiling)).toBe(true)
    const longAgo = Date.now() / 1000 - 8 * 24 * 3600
    fs.utimesSync(container, longAgo, longAgo)
    await removeLeftovers(own.places)
    expect(fs.existsSync(container)).toBe(false)
    expect(fs.existsSync(compiling)).toBe(false)
  })
})
