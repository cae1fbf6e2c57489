import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import net from 'node:net'
import os from 'node:os'

import { afterEach, expect, it } from 'vitest'

import { ConnectionWatch } from '../support/connections'

const onLinux = process.platform === 'linux'
const marker = `opsmith-connections-${process.pid}`
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

/** Runs a script whose environment has the marker, until it prints a line. */
async function started(script: string, name = marker): Promise<void> {
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, MARKER: name },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

const udp = `const socket = require('node:dgram').createSocket('udp4')
socket.bind(0, HOST, () => console.log('bound'))`

async function foundOf(script: string, name = marker): Promise<string[]> {
  const watch = new ConnectionWatch(marker)
  await started(script, name)
  return watch.end()
}

it.runIf(onLinux)('finds a socket that can send to other machines, and its process', async () => {
  const found = await foundOf(udp.replace('HOST', "'0.0.0.0'"))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(/^udp 0\.0\.0\.0:0 \(\d+ .*createSocket/s)
})

it.runIf(onLinux)('finds it in a process that was started without the marker', async () => {
  const inner = JSON.stringify(udp.replace('HOST', "'0.0.0.0'"))
  const script = `const { spawn } = require('node:child_process')
const inner = spawn(process.execPath, ['-e', ${inner}], { env: {}, stdio: 'inherit' })
process.on('SIGTERM', () => inner.kill())
inner.once('exit', () => process.exit())`
  const watch = new ConnectionWatch(marker)
  await started(script)
  const found = watch.end()
  expect(found).toHaveLength(1)
})

it.runIf(onLinux)('does not count this machine, nor other programs', async () => {
  expect(await foundOf(udp.replace('HOST', "'127.0.0.1'"))).toEqual([])
  expect(await foundOf(udp.replace('HOST', "'0.0.0.0'"), 'another')).toEqual([])
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const script = `require('node:net').connect(${port}, '127.0.0.1', () => console.log('connected'))`
  expect(await foundOf(script)).toEqual([])
  server.close()
})

/** An address of this machine as others see it: what connects to it has a peer that is not loopback. */
const outside = Object.values(os.networkInterfaces())
  .flat()
  .find((one) => one?.internal === false && one.family === 'IPv4')?.address

it.runIf(onLinux && outside !== undefined)('finds a connection of TCP', async () => {
  const server = net.createServer().listen(0, '0.0.0.0')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const script = `require('node:net').connect(${port}, '${outside}', () => console.log('connected'))`
  const found = await foundOf(script)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(`tcp ${outside}:${port} (`)
  server.close()
})
