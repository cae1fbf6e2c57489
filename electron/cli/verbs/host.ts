import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import os from 'node:os'
import type { Duplex } from 'node:stream'

import { FrameReader, frameHeader } from '../../contract/frames'
import { relayedLaunch, relayPart } from '../../contract/relayed-host'
import type { RelayedLaunch } from '../../contract/relayed-host'
import { defaultMemoryLimit } from '../../engine/host/memory-limit'
import { findInstallation, ownVersion } from '../../engine/installation'
import { endGroup, endTree, newTree, treeEnvironment } from '../../engine/toolchain/process-tree'
import { exitCodes } from '../exit-codes'
import { progress } from '../print'
import type { Verb } from '../verb'

/** srun sends only whole lines: each frame ends with a line. */
const lineEnd = Buffer.from('\n')

function write(part: number, bytes: Uint8Array): void {
  const payload = Buffer.concat([Buffer.from([part]), bytes, lineEnd])
  process.stdout.write(frameHeader(payload))
  process.stdout.write(payload)
}

const writeJson = (part: number, value: object): void => {
  write(part, Buffer.from(JSON.stringify(value)))
}

/** Starts the op host here, with the channel that it expects. */
function startHost(launch: RelayedLaunch, tree: string): ChildProcess {
  const node = process.execPath
  const [program = node, ...words] = [...launch.launcher, node, launch.entry]
  const child = spawn(program, words, {
    env: {
      ...process.env,
      OPSMITH_MEMORY_LIMIT: String(defaultMemoryLimit()),
      ...launch.environment,
      ...treeEnvironment(tree),
      ELECTRON_RUN_AS_NODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdout?.on('data', (bytes: Buffer) => write(relayPart.stdout, bytes))
  child.stderr?.on('data', (bytes: Buffer) => write(relayPart.stderr, bytes))
  const reader = new FrameReader()
  ;(child.stdio[3] as Duplex)
    .on('data', (bytes: Buffer) => {
      for (const payload of reader.take(bytes)) write(relayPart.message, payload)
    })
    .on('error', () => undefined)
  return child
}

/** `opsmith host`: an op host for an Opsmith on another node, until stdin is closed or the op host ends. */
async function relay(): Promise<number> {
  const { stdin } = process
  const reader = new FrameReader()
  const tree = newTree()
  const version = ownVersion(findInstallation(__dirname).root)
  let child: ChildProcess | undefined
  let isLeaving = false
  const code = await new Promise<number>((resolve) => {
    const begin = (payload: Uint8Array): ChildProcess | undefined => {
      const launch = relayedLaunch.parse(JSON.parse(Buffer.from(payload).toString('utf8')))
      if (launch.version !== version) {
        progress(
          `opsmith: this node has Opsmith ${version}, but Opsmith ${launch.version} started this command. Install the same version on all nodes.`,
        )
        resolve(exitCodes.noAnswer)
        return undefined
      }
      writeJson(relayPart.node, { node: process.env['SLURMD_NODENAME'] ?? os.hostname() })
      const started = startHost(launch, tree)
      started.once('error', (error) => progress(error.message))
      started.once('close', (exitCode, signal) => {
        // What a job's end has ended did not end alone: the launcher says why.
        if (!isLeaving) writeJson(relayPart.end, { code: exitCode, signal })
        resolve(exitCodes.good)
      })
      return started
    }
    const leave = (): void => {
      isLeaving = true
      if (child?.pid === undefined) resolve(exitCodes.good)
      else endGroup(child.pid)
    }
    stdin.on('data', (bytes: Buffer) => {
      for (const payload of reader.take(bytes)) {
        if (!child) {
          child = begin(payload)
          if (!child) return
          continue
        }
        const channel = child.stdio[3] as Duplex
        if (channel.destroyed) continue
        channel.write(frameHeader(payload))
        channel.write(payload)
      }
    })
    stdin.on('end', leave)
    stdin.on('error', leave)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, leave)
  })
  stdin.destroy()
  await endTree(tree)
  return code
}

export const verb: Verb = {
  name: 'host',
  order: 23,
  description:
    'run an op host (the process that calls operators) on this node; Opsmith on another node starts this command if its setting hostLauncher is set',
  argument: undefined,
  options: {},
  readsInput: () => true,
  execute: async () => await relay(),
}
