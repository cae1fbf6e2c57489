import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { opsmith as runOpsmith } from '../support/command-line'
import type { Outcome } from '../support/command-line'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { onTerminal } from '../support/on-terminal'
import { missingSsh, startSshServer } from '../support/ssh-server'
import { opsmithProgram } from '../support/targets'

let cache: TestCache
let project: string

beforeAll(() => {
  cache = makeTestCache()
  project = copyProject(path.join(root, 'samples/my_op'), cache)
})
afterAll(() => {
  cache.remove()
})

const opsmith = async (...words: string[]): Promise<Outcome> => await runOpsmith(cache, ...words)

describe('work spread over processes of this machine', () => {
  it('Ctrl+C asks; a run that is left goes on, and gives its answer later', async () => {
    const terminal = onTerminal(
      cache,
      'gradcheck',
      project,
      '--op',
      'my_op::my_op',
      '--search',
      '300',
      '--over',
      'local',
    )
    await expect.poll(terminal.shown).toContain('2 workers submitted')
    terminal.press('\x03')
    await expect.poll(terminal.shown).toContain('[d]etach')
    terminal.press('d\r')
    expect(await terminal.ended).toBe(2)
    const id = /opsmith runs (\S+)/.exec(terminal.shown())?.[1] ?? ''
    const later = await opsmith('runs', id, '--json')
    expect(later.code, later.stderr).toBe(0)
    const answer = JSON.parse(later.stdout) as { gradchecks: { verdict: string }[]; missing: [] }
    expect(answer.gradchecks.map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
    expect(later.stderr).not.toContain('submitted')
  })

  it('a run in a folder of the user is named by the folder, where the next command is given', async () => {
    const words = ['gradcheck', project, '--op', 'my_op::my_op', '--search', '4', '--over', 'local']
    const folder = path.join(cache.home, 'my runs')
    const left = await opsmith(...words, '--run-folder', folder, '--detach')
    expect(left.code, left.stderr).toBe(0)
    const named = /opsmith runs '(.+)'$/m.exec(left.stderr)?.[1] ?? ''
    expect(path.dirname(named)).toBe(folder)
    const later = await opsmith('runs', named)
    expect(later.code, later.stderr).toBe(0)
  })

  it('operator checks are shards too; the folder of a run is where the user wants it', async () => {
    const folder = path.join(cache.home, 'shared')
    const words = ['check', project, '--check', 'mutation', 'aliasing', '--shapes', '0', '--json']
    const here = JSON.parse((await opsmith(...words)).stdout) as { operators: object[] }
    const { code, stdout, stderr } = await opsmith(
      ...words,
      '--over',
      'local',
      '--jobs',
      '1',
      '--run-folder',
      folder,
    )
    const there = JSON.parse(stdout) as { run: string; operators: object[] }
    const alike = (one: object): object => ({ ...one, seconds: 0 })
    expect(there.operators.map(alike)).toEqual(here.operators.map(alike))
    expect(code, stderr).toBe(0)
    const run = path.join(folder, there.run)
    expect(fs.readdirSync(path.join(run, 'results'))).toHaveLength(here.operators.length)
    expect((await opsmith('runs', run, '--remove')).code).toBe(0)
    expect(fs.existsSync(run)).toBe(false)
  })

  it.each([
    [['bench', '--jobs', '2'], '--jobs needs --over.'],
    [['bench', '--over', 'local', '--save-baseline', 'x'], '--save-baseline cannot be given'],
    [['gradcheck', '--over', 'local', '--sweep'], '--sweep cannot be given together with --over'],
    [['gradcheck', '--over', 'nowhere'], 'There is no target named "nowhere".'],
    [['check', '--over', 'local', '--check-kernels', '--op', 'my_op::my_op'], '--check-kernels'],
  ])('%j is refused: %s', async ([verb = '', ...words], message) => {
    const { code, stderr } = await opsmith(verb, project, ...words)
    expect({ code }).toEqual({ code: 2 })
    expect(stderr).toContain(message)
  })

  it('a run that nobody knows is an error', async () => {
    expect((await opsmith('runs', 'nothing')).stderr).toContain('There is no run nothing in')
  })
})

const missing = missingSsh()

describe.skipIf(missing !== '')(`work spread over hosts of ssh ${missing}`, () => {
  it('a host that is gone: the other one does all shards', async () => {
    const server = await startSshServer(path.join(cache.home, 'ssh'))
    try {
      const ssh = (host: string): object => ({
        command: ['ssh', '-F', server.configuration, host],
        opsmith: opsmithProgram(cache),
      })
      fs.writeFileSync(
        path.join(cache.places.configFolder, 'settings.json'),
        JSON.stringify({ targets: { gpu: ssh('noisy'), gone: ssh('dead') } }),
      )
      const { code, stdout, stderr } = await opsmith(
        'gradcheck',
        project,
        '--over',
        'gone, gpu',
        '--jobs',
        '2',
        '--json',
      )
      expect(code, stderr).toBe(0)
      const { gradchecks } = JSON.parse(stdout) as { gradchecks: { verdict: string }[] }
      expect(gradchecks.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed'])
    } finally {
      await server.stop()
    }
  })
})
