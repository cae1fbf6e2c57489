import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'

import type { Container } from './container'

/** kubectl speaks by WebSocket from this minor version of 1.x on; before, by SPDY. */
const oldest = 31
const protocol = 'v5.channel.k8s.io'
/** Channels of that protocol: the first byte of each message. */
const [stdin, stdout, stderr, status, closed] = [0, 1, 2, 3, 255]

/** Why kubectl cannot be tried here, for the reason of a skip; "" if it can. */
export function missingKubectl(): string {
  try {
    const words = ['version', '--client', '--output=json']
    const printed = execFileSync('kubectl', words, { encoding: 'utf8', stdio: 'pipe' })
    const { clientVersion } = JSON.parse(printed) as { clientVersion: { minor: string } }
    return Number.parseInt(clientVersion.minor, 10) >= oldest
      ? ''
      : `without kubectl 1.${oldest}: this is 1.${clientVersion.minor}`
  } catch (error) {
    return `without kubectl: ${String(error)}`
  }
}

const pods = [
  { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get'] },
  { name: 'pods/exec', singularName: '', namespaced: true, kind: 'PodExecOptions', verbs: ['get'] },
]

export interface KubernetesApi {
  /** Variables with which kubectl finds it. */
  environment: Record<string, string>
  stop(): Promise<void>
}

/**
 * The part of a Kubernetes API server that `kubectl exec` asks: a cluster cannot run where tests may run. Commands run in
 * a container of podman, which stands for the only pod. Source: the API reference of Kubernetes, and
 * k8s.io/apimachinery/pkg/util/remotecommand.
 * @param folder for kubectl's configuration
 */
export async function serveKubernetes(pod: Container, folder: string): Promise<KubernetesApi> {
  const ofPod = `/api/v1/namespaces/default/pods/${pod.name}`
  const answers: Readonly<Record<string, object>> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: pods },
    [ofPod]: {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: pod.name, namespace: 'default' },
      spec: { containers: [{ name: 'main' }] },
      status: { phase: 'Running' },
    },
  }
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const name = pathname.split('/').at(-1) ?? ''
    const missing = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 }
    const answer = answers[pathname] ?? { ...missing, message: `pods "${name}" not found` }
    response.writeHead(answers[pathname] ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  const sockets = new WebSocketServer({ server, handleProtocols: () => protocol })
  sockets.on('connection', (socket, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === `${ofPod}/exec`) execute(pod, searchParams.getAll('command'), socket)
    else socket.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const KUBECONFIG = path.join(folder, 'kubeconfig.json')
  const cluster = { name: 'test', cluster: { server: `http://127.0.0.1:${port}` } }
  const context = { name: 'test', context: { cluster: 'test', user: '', namespace: 'default' } }
  fs.writeFileSync(
    KUBECONFIG,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [cluster],
      contexts: [context],
      'current-context': 'test',
    }),
  )
  return {
    environment: { KUBECONFIG },
    stop: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Runs a command in the container, as the kubelet of a pod's node does. */
function execute(pod: Container, command: readonly string[], socket: WebSocket): void {
  const child = spawn('podman', ['exec', '--interactive', pod.name, ...command], {
    env: { ...process.env, ...pod.environment },
  })
  const send = (channel: number, data: Buffer): void => {
    socket.send(Buffer.concat([Buffer.from([channel]), data]))
  }
  child.stdout.on('data', (data: Buffer) => send(stdout, data))
  child.stderr.on('data', (data: Buffer) => send(stderr, data))
  // Whoever reads it may have ended.
  child.stdin.on('error', () => undefined)
  socket.on('message', (message: Buffer) => {
    if (message[0] === stdin) child.stdin.write(message.subarray(1))
    else if (message[0] === closed && message[1] === stdin) child.stdin.end()
  })
  socket.on('close', () => child.kill())
  child.on('close', (code) => {
    const causes = [{ reason: 'ExitCode', message: String(code ?? 1) }]
    const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } }
    const answer = code === 0 ? { status: 'Success' } : failure
    send(status, Buffer.from(JSON.stringify({ metadata: {}, ...answer })))
    socket.close(1000)
  })
}
