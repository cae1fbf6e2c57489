import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { appCalls, appEvents } from '../../electron/contract/app-calls'
import { callPlaces, eventPlaces } from '../../electron/contract/call-places'
import { machineOf, placeName, placeOf } from '../../electron/contract/project-place'
import { sshHosts } from '../../electron/engine/remote/ssh-hosts'
import { typedTarget } from '../../electron/engine/remote/targets'

describe('who answers while a project of another machine is open', () => {
  it('the table has every call and every event, and no other', () => {
    expect(Object.keys(callPlaces).sort()).toEqual(Object.keys(appCalls).sort())
    expect(Object.keys(eventPlaces).sort()).toEqual(Object.keys(appEvents).sort())
  })

  it('what does not go there has a reason', () => {
    for (const [name, place] of Object.entries({ ...callPlaces, ...eventPlaces }))
      if (place.where !== 'there') expect(place.reason, name).toMatch(/^\S.{10,}[^.]$/)
  })

  it('the other machine gets no call that starts a program here, and sends no event that runs a command here', () => {
    const names = ['settings.set', 'settings.get', 'project.choose', 'app.showReport'] as const
    for (const name of names) expect(callPlaces[name].where, name).toBe('here')
    for (const name of ['file.openElsewhere', 'file.reveal', 'export.showDirectory'] as const)
      expect(callPlaces[name].where, name).toBe('refused')
    for (const name of ['command.invoked', 'project.wanted', 'remote.changed'] as const)
      expect(eventPlaces[name].where, name).toBe('here')
  })
})

describe('the name of a project', () => {
  it('says the target and the folder, and is read again', () => {
    const places = [
      { target: '', folder: '/home/me/my:/op' },
      { target: 'gpu', folder: '/home/me/op' },
      { target: 'ssh:me@gpu', folder: '/' },
      { target: 'kubectl --server=https://k:6443 exec -i pod --', folder: '/work/op' },
    ]
    for (const place of places) expect(placeOf(placeName(place))).toEqual(place)
    expect(places.map(({ target }) => machineOf(target))[2]).toBe('me@gpu')
  })
})

describe('what is typed as a machine', () => {
  const settings = { targets: { 'my box': { command: ['sh'] }, gpu: { command: ['sh'] } } }

  it('is a target of the settings, a host of ssh, or a command line', () => {
    const commandOf = (typed: string): string[] => {
      const target = typedTarget(typed, settings)
      if (!target.ok) throw new Error(target.error.message)
      return [target.value.name, ...target.value.command]
    }
    expect(commandOf(' gpu ')).toEqual(['gpu', 'sh'])
    expect(commandOf('my box')).toEqual(['my box', 'sh'])
    expect(commandOf('me@host')).toEqual(['ssh:me@host', 'ssh', '--', 'me@host'])
    expect(commandOf('ssh:host')).toEqual(['ssh:host', 'ssh', '--', 'host'])
    // An option of ssh could run a program.
    expect(commandOf('-oProxyCommand=ls')).toEqual([
      'ssh:-oProxyCommand=ls',
      'ssh',
      '--',
      '-oProxyCommand=ls',
    ])
    expect(commandOf(`env A="b c" 'd e' sh`).slice(1)).toEqual(['env', 'A=b c', 'd e', 'sh'])
  })
})

describe('the hosts of ~/.ssh/config', () => {
  let home: string

  const write = (file: string, text: string): void => {
    const place = path.join(home, '.ssh', file)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(place, text)
  }

  beforeEach(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'opsmith-ssh-'))
  })
  afterEach(() => {
    fs.rmSync(home, { recursive: true })
  })

  it('are those of Host lines without patterns, each once', async () => {
    write(
      'config',
      '# Host commented\nHost gpu  login\n  HostName 10.0.0.1\nhost=box\nHOST "a b" gpu\n' +
        'Host * !secret gpu-? *.cluster\n  User me\nMatch host other\n',
    )
    expect(await sshHosts(home)).toEqual(['gpu', 'login', 'box', 'a b'])
  })

  it('Include is followed once, also with a pattern, from ~/.ssh on', async () => {
    write('config', 'Include config.d/*.conf ~/.ssh/work missing\nHost last\n')
    write('config.d/b.conf', 'Host b\nInclude ../deeper\n')
    write('config.d/a.conf', 'Host a\n')
    write('config.d/a.conf~', 'Host backup\n')
    write('work', 'Host w\n')
    write('deeper', 'Host deeper\n')
    expect(await sshHosts(home)).toEqual(['a', 'b', 'w', 'last'])
  })

  it('there are none without the file', async () => {
    expect(await sshHosts(home)).toEqual([])
  })
})
