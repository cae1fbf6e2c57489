import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { findPlaces } from '../../electron/engine/places'
import { root } from './installation'

/** A container of podman with the files of this machine. */
export interface Container {
  name: string
  /** Variables with which podman finds it. */
  environment: Record<string, string>
  stop(): void
}

const podman = (environment: NodeJS.ProcessEnv, ...words: string[]): string => {
  const options = {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    timeout: 300_000,
  } as const
  const { status, stdout, stderr, error } = spawnSync('podman', words, options)
  if (status !== 0) throw new Error(`podman ${words[0] ?? ''}: ${error?.message ?? stderr}`)
  return stdout
}

/**
 * Why no container can be started here, for the reason of a skip; "" if one can. It starts one, which takes seconds.
 * @param folder for its files
 */
export function missingContainers(folder: string): string {
  try {
    startContainer(folder, folder).stop()
    return ''
  } catch (error) {
    return String(error)
  }
}

/**
 * Starts a container. No image is needed: its root is an empty folder with this machine's /usr, this clone and the
 * shared cache. runc, and limits below this process's own: crun, and limits above them, need more rights than a
 * container has in which tests may run.
 * @param folder for its files; its processes see `shared` at the same path
 */
export function startContainer(folder: string, shared: string): Container {
  const rootfs = path.join(folder, 'rootfs')
  const name = `opsmith-test-${process.pid}`
  const binds = [root, findPlaces().cacheFolder, shared]
  for (const one of [
    'usr',
    'proc',
    'sys',
    'dev',
    'tmp',
    'etc',
    'run',
    'only-in-the-container',
    ...binds,
  ])
    fs.mkdirSync(path.join(rootfs, one), { recursive: true })
  for (const one of ['bin', 'sbin', 'lib', 'lib64'])
    if (fs.existsSync(`/usr/${one}`)) fs.symlinkSync(`usr/${one}`, path.join(rootfs, one))
  for (const one of ['passwd', 'group', 'alternatives', 'ld.so.cache'])
    if (fs.existsSync(`/etc/${one}`))
      fs.cpSync(`/etc/${one}`, path.join(rootfs, 'etc', one), {
        recursive: true,
        verbatimSymlinks: true,
      })
  const environment = {
    CONTAINERS_STORAGE_CONF: path.join(folder, 'storage.conf'),
    CONTAINERS_CONF: path.join(folder, 'containers.conf'),
  }
  fs.writeFileSync(
    environment.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/storage"\nrunroot = "${folder}/run"\n`,
  )
  fs.writeFileSync(
    environment.CONTAINERS_CONF,
    `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  )
  const mounts = ['/usr:/usr:ro', ...binds.map((one) => `${one}:${one}`)].flatMap((one) => [
    '-v',
    one,
  ])
  const words = ['--name', name, '--network=host', ...mounts, '--rootfs', rootfs, 'sleep', '3600']
  podman(environment, 'run', '--detach', ...words)
  return {
    name,
    environment,
    stop: () => {
      podman(environment, 'rm', '--force', '--time', '0', name)
    },
  }
}

/** Why docker's own client cannot be tried here, for the reason of a skip; "" if it can. */
export function missingDocker(): string {
  const { error } = spawnSync('docker', ['--version'])
  return error === undefined ? '' : `without docker's client: ${error.message}`
}

/**
 * Starts podman's server of docker's API: docker's own client then finds the containers of podman, without docker's
 * daemon, which cannot run where tests may run.
 * @param folder for its socket
 */
export async function serveDocker({ environment }: Container, folder: string): Promise<DockerApi> {
  const socket = path.join(folder, 'docker.sock')
  const server = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], {
    env: { ...process.env, ...environment },
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  while (!fs.existsSync(socket)) {
    if (server.exitCode !== null) throw new Error('podman system service ended at once')
    await setTimeout(50)
  }
  return {
    environment: { DOCKER_HOST: `unix://${socket}` },
    stop: async () => {
      server.kill()
      await ended
    },
  }
}

interface DockerApi {
  /** Variables with which docker's client finds it. */
  environment: Record<string, string>
  stop(): Promise<void>
}
