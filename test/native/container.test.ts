import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unwrap } from '../../electron/contract/outcome'
import type { Target } from '../../electron/contract/settings'
import { noteCacheUser } from '../../electron/engine/builds/cache-users'
import { ownVersion } from '../../electron/engine/installation'
import { connectEngine } from '../../electron/engine/remote/engine-client'
import { findTarget } from '../../electron/engine/remote/targets'
import { opsmith } from '../support/command-line'
import { missingContainers, missingDocker, serveDocker, startContainer } from '../support/container'
import type { Container } from '../support/container'
import { missingKubectl, serveKubernetes } from '../support/kubernetes-api'
import type { KubernetesApi } from '../support/kubernetes-api'
import { copyProject, makeTestCache, root } from '../support/installation'
import { opsmithProgram } from '../support/targets'

const cache = makeTestCache()
const missing = missingContainers(path.join(cache.home, 'try'))
afterAll(() => {
  cache.remove()
})

describe.skipIf(missing !== '')(`a container of podman ${missing}`, () => {
  let folder: string
  let box: Container | undefined
  let targets: Record<string, Target>
  const users = (): string[] => fs.readdirSync(path.join(cache.folder, 'users'))
  let usersBefore: string[] = []

  beforeAll(() => {
    folder = copyProject(path.join(root, 'samples/my_op'), cache)
    // Other tests compile into the same folders: the engine in the container must see that this machine uses them.
    noteCacheUser(cache.folder)
    usersBefore = users()
    box = startContainer(path.join(cache.home, 'podman'), cache.home)
    Object.assign(process.env, box.environment)
    const there = { opsmith: opsmithProgram(cache), folder: cache.home }
    targets = {
      box: { podman: box.name, ...there },
      docker: { docker: box.name, ...there },
      gone: { docker: 'opsmith-no-such-container', ...there },
      pod: { kubectl: box.name, namespace: 'default', container: 'main', ...there },
      lost: { kubectl: 'no-such-pod', ...there },
    }
    const file = path.join(cache.places.configFolder, 'settings.json')
    fs.writeFileSync(file, JSON.stringify({ targets, hotCompile: false }))
  })
  afterAll(() => {
    for (const name of Object.keys(box?.environment ?? {})) delete process.env[name]
    box?.stop()
    // It ended: what it has left may be removed.
    for (const name of users())
      if (!usersBefore.includes(name)) fs.rmSync(path.join(cache.folder, 'users', name))
  })

  const connect = async (name: 'box' | 'docker' | 'pod') =>
    unwrap(
      await connectEngine(unwrap(findTarget(name, { targets })), {
        version: ownVersion(root),
        keep: 60,
        seconds: 300,
        onQuestion: () => Promise.resolve(null),
        onLog: () => undefined,
        onLost: () => undefined,
      }),
    )
  const run = async (engine: Awaited<ReturnType<typeof connect>>) => {
    const inputs = { x: { shape: [2, 3] }, y: { shape: [2, 3] } }
    const request = { op: 'my_op::my_op', args: ['x', 'y'], inputs } as never
    return unwrap(await engine.call('operator.run', { folder, job: 'run', request, timeout: 0 }))
  }

  it('is a target: a project is opened, built and run in it', async () => {
    const engine = await connect('box')
    const there = unwrap(await engine.call('remote.folders', { target: '', path: '/' }))
    expect(JSON.stringify(there)).toContain('only-in-the-container')
    unwrap(await engine.call('project.open', { folder }))
    expect(unwrap(await engine.call('operator.build', { folder, job: 'build' })).build.ok).toBe(
      true,
    )
    expect((await run(engine)).outputs[0]).toMatchObject({ shape: [2, 3] })
    await engine.close()
  })

  it('is a target of verbs too', async () => {
    const place = path.relative(cache.home, folder)
    const { code, stdout, stderr } = await opsmith(cache, '--on', 'box', 'run', place, '--json')
    expect(stderr).not.toContain('error')
    expect(stdout).toContain('my_op')
    expect(code).toBe(0)
  })

  const withoutDocker = missingDocker()
  describe.skipIf(withoutDocker !== '')(`by docker's own client ${withoutDocker}`, () => {
    let api: Awaited<ReturnType<typeof serveDocker>> | undefined
    beforeAll(async () => {
      if (box) api = await serveDocker(box, cache.home)
      Object.assign(process.env, api?.environment)
    })
    afterAll(async () => {
      for (const name of Object.keys(api?.environment ?? {})) delete process.env[name]
      await api?.stop()
    })

    it('is a target: a project is opened and run in it', async () => {
      const engine = await connect('docker')
      unwrap(await engine.call('project.open', { folder }))
      unwrap(await engine.call('operator.build', { folder, job: 'build' }))
      expect((await run(engine)).outputs[0]).toMatchObject({ shape: [2, 3] })
      await engine.close()
    })

    it('is a target of verbs too, and a container that does not run is named', async () => {
      const place = path.relative(cache.home, folder)
      const { code, stdout } = await opsmith(cache, '--on', 'docker', 'run', place, '--json')
      expect(stdout).toContain('my_op')
      expect(code).toBe(0)
      const gone = await opsmith(cache, '--on', 'gone', 'run', place)
      expect(gone.code).not.toBe(0)
      // In the words of podman's server; docker's has others.
      expect(gone.stderr).toMatch(/no (such )?container.*opsmith-no-such-container/i)
    })
  })

  const withoutKubectl = missingKubectl()
  describe.skipIf(withoutKubectl !== '')(`as a pod of kubectl ${withoutKubectl}`, () => {
    let api: KubernetesApi | undefined
    beforeAll(async () => {
      if (box) api = await serveKubernetes(box, cache.home)
      Object.assign(process.env, api?.environment)
    })
    afterAll(async () => {
      for (const name of Object.keys(api?.environment ?? {})) delete process.env[name]
      await api?.stop()
    })

    it('is a target: a project is opened and run in it', async () => {
      const engine = await connect('pod')
      unwrap(await engine.call('project.open', { folder }))
      unwrap(await engine.call('operator.build', { folder, job: 'build' }))
      expect((await run(engine)).outputs[0]).toMatchObject({ shape: [2, 3] })
      await engine.close()
    })

    it('is a target of verbs too, whose exit code arrives; a pod that is not there is named', async () => {
      const place = path.relative(cache.home, folder)
      const good = await opsmith(cache, '--on', 'pod', 'run', place, '--json')
      expect(good.stdout).toContain('my_op')
      expect(good.code).toBe(0)
      const refused = await opsmith(cache, '--on', 'pod', 'run', 'no-such-project')
      expect(refused.code).toBe(2)
      const lost = await opsmith(cache, '--on', 'lost', 'run', place)
      expect(lost.code).not.toBe(0)
      expect(lost.stderr).toContain('pods "no-such-pod" not found')
    })
  })
})
