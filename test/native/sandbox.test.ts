import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inputSpec } from '../../electron/contract/manifest'
import { readBounds } from '../../electron/contract/sandbox'
import type { SettingsChange } from '../../electron/contract/settings'
import { launcherName } from '../../electron/engine/toolchain/addon-location'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { opsmith } from '../support/command-line'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ settings: { writableFolders: [] } })

const launcher = path.join(workbench.installation.addonFolder, launcherName)
const offered = readBounds(execFileSync(launcher, ['--examine'], { encoding: 'utf8' }))
const lacks = (bound: (typeof offered)[number]): boolean => !offered.includes(bound)

const source = `
#include <torch/library.h>
#include <arpa/inet.h>
#include <csignal>
#include <cstring>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
at::Tensor write_file(const at::Tensor& x, std::string file) {
  std::ofstream stream(file);
  stream << "written";
  TORCH_CHECK(stream.flush(), file, ": ", std::strerror(errno));
  return x.clone();
}
at::Tensor write_temporary(const at::Tensor& x) {
  return write_file(x, std::string(std::getenv("TMPDIR")) + "/mine");
}
at::Tensor write_by_shell(const at::Tensor& x, std::string file) {
  const auto command = "echo written > " + file;
  return x + std::system(command.c_str());
}
at::Tensor open_socket(const at::Tensor& x, int64_t port) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  TORCH_CHECK(other >= 0, "socket: ", std::strerror(errno));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int failed = connect(other, reinterpret_cast<sockaddr*>(&place), sizeof place);
  close(other);
  TORCH_CHECK(failed == 0, "connect: ", std::strerror(errno));
  return x.clone();
}
at::Tensor send_signal(const at::Tensor& x, int64_t process) {
  TORCH_CHECK(kill(process, SIGTERM) == 0, "kill: ", std::strerror(errno));
  return x.clone();
}
at::Tensor use_own(const at::Tensor& x) {
  int ends[2];
  TORCH_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pid_t child = fork();
  if (child == 0) pause();
  TORCH_CHECK(kill(child, SIGTERM) == 0, "kill: ", std::strerror(errno));
  waitpid(child, nullptr, 0);
  std::ofstream null("/dev/null");
  TORCH_CHECK(null.is_open());
  return x.clone();
}
// As CUDA's driver does, which cannot start otherwise.
at::Tensor name_thread(const at::Tensor& x, int64_t process) {
  const std::string whose = process == 0 ? "self" : std::to_string(process);
  std::string written;
  std::thread([&] {
    const auto thread = process == 0 ? gettid() : pid_t(process);
    std::ofstream name("/proc/" + whose + "/task/" + std::to_string(thread) + "/comm");
    name << "worker";
    written = name.flush() ? "" : std::strerror(errno);
  }).join();
  TORCH_CHECK(written.empty(), "comm: ", written);
  return x.clone();
}
TORCH_LIBRARY(bounds, m) {
  m.def("write_file(Tensor x, str file) -> Tensor", write_file);
  m.def("write_temporary(Tensor x) -> Tensor", write_temporary);
  m.def("write_by_shell(Tensor x, str file) -> Tensor", write_by_shell);
  m.def("open_socket(Tensor x, int port) -> Tensor", open_socket);
  m.def("send_signal(Tensor x, int process) -> Tensor", send_signal);
  m.def("use_own(Tensor x) -> Tensor", use_own);
  m.def("name_thread(Tensor x, int process) -> Tensor", name_thread);
}
`

let folder: string
/** A file in the user's home folder. */
const outside = path.join(os.homedir(), `.opsmith-sandbox-test-${process.pid}`)
const server = net.createServer()
let port = 0

beforeAll(async () => {
  folder = path.join(cache.home, 'bounds')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'op.cpp'), source)
  const manifest = {
    name: 'bounds',
    sources: ['op.cpp'],
    inputs: { x: { shape: [2] } },
    calls: [{ op: 'bounds::write_file', args: ['x', outside], reference: 'x' }],
  }
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  expect(await workbench.builds.build(folder)).toMatchObject({ ok: true, value: { ok: true } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as net.AddressInfo).port
})
afterAll(() => {
  server.close()
  fs.rmSync(outside, { force: true })
})

/** "" where the call was good, else its error with what to do. */
async function call(op: string, ...args: (string | number)[]): Promise<string> {
  const result = await workbench.runs.run(
    folder,
    {
      op: `bounds::${op}`,
      args: ['x', ...args],
      inputs: { x: inputSpec.parse({ shape: [2], distribution: 'ones' }) },
    },
    { timeout: 60 },
  )
  return result.ok ? '' : `${result.error.message}\n${result.error.hint ?? ''}`
}

async function set(change: SettingsChange): Promise<void> {
  await changeSettings(cache.places.configFolder, change)
  await workbench.applySettings()
}

const advice = /run in a sandbox.*Settings, "Sandbox".*--no-sandbox/

describe('an operator in the sandbox', () => {
  it.skipIf(lacks('files'))(
    'writes to its project, its temporary folder and the folders of the settings, and to no others',
    async () => {
      expect(await call('write_file', path.join(folder, 'result.txt'))).toBe('')
      expect(await call('write_temporary')).toBe('')
      const refused = await call('write_file', outside)
      expect(refused).toMatch(/Permission denied/)
      expect(refused).toMatch(advice)
      expect(await call('write_by_shell', outside)).toBe('')
      expect(fs.existsSync(outside)).toBe(false)
      // What later builds and starts read is out of its reach too.
      for (const name of ['settings.json', 'trust.json'])
        expect(await call('write_file', path.join(cache.folder, name))).toMatch(advice)

      const allowed = fs.mkdtempSync(path.join(cache.home, 'allowed-'))
      expect(await call('write_file', path.join(allowed, 'a.txt'))).toMatch(advice)
      await set({ writableFolders: [allowed] })
      expect(await call('write_file', path.join(allowed, 'a.txt'))).toBe('')
      expect(await call('write_file', outside)).toMatch(advice)
    },
  )

  it.skipIf(lacks('network'))('reaches no network, this machine included', async () => {
    const refused = await call('open_socket', port)
    expect(refused).toMatch(/socket: Permission denied/)
    expect(refused).toMatch(advice)
  })

  it.skipIf(lacks('signals'))('signals what it has started, and no other process', async () => {
    const other = spawn('sleep', ['600'])
    try {
      const refused = await call('send_signal', other.pid ?? 0)
      expect(refused).toMatch(/kill: Operation not permitted/)
      expect(refused).toMatch(advice)
      expect(other.exitCode ?? other.signalCode).toBe(null)
    } finally {
      other.kill()
    }
  })

  it('uses sockets within the machine, processes and devices of its own', async () => {
    expect(await call('use_own')).toBe('')
  })
})

describe('a thread of an operator in the sandbox', () => {
  it('names itself in /proc, as the driver of CUDA must to start', async () => {
    expect(await call('name_thread', 0)).toBe('')
  })

  it.skipIf(lacks('files'))('cannot name a thread of another process', async () => {
    const other = spawn('sleep', ['600'])
    try {
      expect(await call('name_thread', other.pid ?? 0)).toMatch(advice)
    } finally {
      other.kill()
    }
  })
})

describe('the launcher', () => {
  // What Chromium leaves open, op hosts and proofs of exports do not get.
  it.each([
    [[], ['0', '1', '2']],
    [['--channel'], ['0', '1', '2', '3']],
  ] as const)('with %j a program has the descriptors %j alone', (words, descriptors) => {
    const look = 'for n in 0 1 2 3 4 5 6; do [ -e /proc/$$/fd/$n ] && echo $n; done; true'
    const { stdout } = spawnSync(launcher, [...words, 'sh', '-c', look], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    expect(stdout.trim().split('\n')).toEqual(descriptors)
  })

  it('names the program that it cannot start', () => {
    const { status, stderr } = spawnSync(launcher, ['/no/program'], { encoding: 'utf8' })
    expect(status).toBe(127)
    expect(stderr).toContain('/no/program: No such file or directory')
  })
})

describe('the switch of the sandbox', () => {
  it('is known to Doctor and the state of the op host, with what is missing', async () => {
    expect(workbench.hosts.state().sandbox?.bounds).toEqual(offered)
    const { findings } = await workbench.doctor.report('')
    const finding = findings.find(({ name }) => name === 'op host sandbox')
    expect(finding?.judgement).toBe(offered.length === 3 ? 'usable' : 'warning')
    expect(finding?.facts.length).toBeGreaterThan(0)
  })

  it('off, an operator may do what the user may, and the state says so', async () => {
    await set({ sandbox: false })
    expect(await call('write_file', outside)).toBe('')
    expect(fs.existsSync(outside)).toBe(true)
    expect(await call('open_socket', port)).toBe('')
    expect(workbench.hosts.state().sandbox).toEqual({
      bounds: [],
      why: 'The sandbox is switched off.',
    })
    await set({ sandbox: true })
    fs.rmSync(outside)
  })

  it.skipIf(lacks('files'))('--no-sandbox is the same for one command', async () => {
    const refused = await opsmith(cache, 'run', folder)
    expect(refused.code).toBe(1)
    expect(`${refused.stdout}${refused.stderr}`).toMatch(advice)
    expect(fs.existsSync(outside)).toBe(false)
    expect((await opsmith(cache, 'run', folder, '--no-sandbox')).code).toBe(0)
    expect(fs.existsSync(outside)).toBe(true)
  })
})
