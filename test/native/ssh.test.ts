import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import { ownVersion } from '../../electron/engine/installation'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { onTerminal } from '../support/on-terminal'
import { missingSsh, startSshServer } from '../support/ssh-server'
import type { SshServer } from '../support/ssh-server'
import { opsmithProgram, otherVersionProgram } from '../support/targets'

const missing = missingSsh()
const cli = path.join(root, 'dist/cli.cjs')

describe.skipIf(missing !== '')(`verbs on another machine, by ssh ${missing}`, () => {
  let cache: TestCache
  let server: SshServer
  const opsmith = async (...words: string[]): Promise<Outcome> => await runOpsmith(cache, ...words)

  const sshTo = (host: string): string[] => ['ssh', '-F', server.configuration, host]

  beforeAll(async () => {
    cache = makeTestCache()
    server = await startSshServer(path.join(cache.home, 'ssh'))
    copyProject(path.join(root, 'samples/my_op'), cache)
    const here = { opsmith: opsmithProgram(cache), folder: cache.home }
    const targets = {
      gpu: { ...here, command: sshTo('gpu') },
      noisy: { ...here, command: sshTo('noisy') },
      dead: { ...here, command: sshTo('dead') },
      bare: { command: sshTo('gpu'), opsmith: '/nothing/opsmith' },
      old: { command: sshTo('gpu'), opsmith: otherVersionProgram(cache, '0.0.1') },
    }
    fs.writeFileSync(
      path.join(cache.places.configFolder, 'settings.json'),
      JSON.stringify({ targets }),
    )
  })
  afterAll(async () => {
    await server.stop()
    cache.remove()
  })

  /** A copy of my_op, as `opsmith` names it here and there. */
  function project(change: (text: string) => string = (text) => text, file = 'op.cpp'): string {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const changed = path.join(folder, file)
    fs.writeFileSync(changed, change(fs.readFileSync(changed, 'utf8')))
    return path.relative(cache.home, folder)
  }

  it('run --json answers as here', async () => {
    const folder = project()
    const here = await opsmith('run', folder, '--json')
    expect(here.code).toBe(0)
    const there = await opsmith('run', folder, '--json', '--on', 'gpu')
    expect(there).toMatchObject({ code: 0, stdout: here.stdout })
    // What is printed on the way comes too.
    expect(there.stderr).toContain('op.cpp')
  })

  it('what a profile prints is not part of the answer', async () => {
    const folder = project()
    const here = await opsmith('schemas', folder, '--json')
    expect(here.code).toBe(0)
    const there = await opsmith('--on', 'noisy', 'schemas', folder, '--json')
    expect(there).toMatchObject({ code: 0, stdout: here.stdout })
  })

  it('a failure has the same exit code', async () => {
    const folder = project((text) => text.replace('"3 * x - y"', '"2 * x - y"'), 'opsmith.json')
    expect((await opsmith('run', folder, '--on', 'gpu')).code).toBe(1)
    const wrong = await opsmith('run', 'no such folder', '--json', '--on', 'gpu')
    expect(wrong.code).toBe(2)
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'project.missing' } })
  })

  it.each([
    [
      'dead',
      'The target dead cannot be reached: ssh ended with exit code 255.',
      'Then try `ssh -F',
    ],
    [
      'bare',
      'The target bare has no program /nothing/opsmith that it can run.',
      'Copy this Opsmith there',
    ],
    ['old', 'has version 0.0.1, but this Opsmith has version', 'same version'],
    ['other', 'There is no target named "other".', 'gpu, noisy, dead, bare, old'],
  ])('%s: a sentence says what is wrong and what to do', async (target, message, hint) => {
    const { code, stdout, stderr } = await opsmith('schema', '--on', target)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    const asked = await opsmith('run', 'my_op', '--on', target, '--json')
    expect(asked.code).toBe(2)
    const { error } = JSON.parse(asked.stdout) as { error: { message: string; hint: string } }
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
  })

  it('a host of ssh needs no settings', async () => {
    const folder = path.join(cache.home, 'programs')
    fs.mkdirSync(folder)
    // The user's own ssh reads the user's own configuration.
    const script = `#!/bin/sh\nexec /usr/bin/ssh -F '${server.configuration}' "$@"\n`
    fs.writeFileSync(path.join(folder, 'ssh'), script, { mode: 0o755 })
    const child = spawn(
      'sh',
      [
        '-c',
        `PATH='${folder}':$PATH exec "$0" "$@"`,
        process.execPath,
        cli,
        'schema',
        '--on',
        'ssh:gpu',
      ],
      {
        env: { ...process.env, ...cache.environment },
      },
    )
    let said = ''
    for await (const piece of child.stderr) said += String(piece)
    // There is no `opsmith` on the PATH of this machine's sshd.
    expect(said).toContain('The target ssh:gpu has no program opsmith that it can run.')
  })

  it('stdin reaches the verb that reads it', async () => {
    const child = start('doctor', '--log', '-', '--json', '--on', 'gpu')
    child.stdin.end('nvcc: command not found\n')
    expect(await outputOf(child)).toContain('torch does not find a CUDA toolkit')
  })

  function start(...words: string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [cli, ...words], {
      env: { ...process.env, ...cache.environment, OPSMITH_CALLER_FOLDER: cache.home },
    })
  }

  async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
    let text = ''
    for await (const piece of child.stdout) text += String(piece)
    return text
  }

  /** Processes with this word in their command line. */
  const running = (word: string): string[] =>
    fs.readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
      } catch {
        return false
      }
    })

  /** A project whose call says "it runs", and does not end. */
  const endless = (): string =>
    project((text) =>
      text
        .replace('#include <vector>', '#include <unistd.h>\n\n#include <cstdio>\n#include <vector>')
        .replace(
          'return 3 * x',
          'std::puts("it runs");\n  std::fflush(stdout);\n  for (;;) pause();\n  return 3 * x',
        ),
    )

  const isGone = async (folder: string): Promise<void> => {
    await expect.poll(() => running(folder)).toEqual([])
  }

  it('Ctrl+C, which ssh gets from the terminal as well, ends the verb there', async () => {
    const folder = endless()
    const { shown, press, ended } = onTerminal(cache, 'run', folder, '--on', 'gpu')
    await expect.poll(shown).toContain('it runs')
    press('\x03')
    expect(await ended).toBe(130)
    expect(shown()).not.toContain('connection')
    await isGone(folder)
  })

  it('a connection that is lost ends the verb there', async () => {
    const folder = endless()
    const child = start('run', folder, '--on', 'gpu')
    await new Promise<void>((resolve) => {
      let said = ''
      child.stderr.on('data', (text: Buffer) => {
        said += text.toString()
        if (said.includes('it runs')) resolve()
      })
    })
    expect(running(folder)).not.toEqual([])
    child.kill('SIGKILL')
    await isGone(folder)
  })

  it.each(['gpu', 'noisy'])('the engine answers calls through %s', async (host) => {
    const version = ownVersion(root)
    const target = { name: host, command: sshTo(host), opsmith: opsmithProgram(cache) }
    const engine = unwrap(
      await connectEngine(target, {
        version,
        seconds: 60,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: () => expect.unreachable(),
      }),
    )
    expect(unwrap(await engine.call('app.info', {}))).toMatchObject({ version })
    await engine.close()
  })
})
