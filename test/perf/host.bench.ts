import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

import { defaultHostLimits, HostClient } from '../../electron/engine/host/host-client'
import { startForkedHost } from '../../electron/engine/host/transport'
import { Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { python } from '../support/python'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const run = promisify(execFile)
const rounds = 9

/** Op host ready; a rebuilt library in the same process and in the spare; beside a new Python that imports torch. */
export async function runHost(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const installation = testInstallation(cache)
  const workbench = new Workbench(installation, startForkedHost)
  try {
    options.say('op host ready')
    const start = (isOn: boolean) => async (): Promise<void> => {
      const host = new HostClient({
        generation: 1,
        installation,
        startHost: startForkedHost,
        limits: defaultHostLimits,
        userFolders: () => [],
        sandbox: { isOn, folders: [root] },
        kernels: 'gpu',
        environment: {},
      })
      const answer = await host.ready
      if (!answer.ok) throw new Error(answer.error.message)
      host.kill('stopped')
      await host.ended
    }
    const ready: number[] = []
    const unbound: number[] = []
    // In turn: what else the machine does slows both alike.
    for (let round = 0; round < rounds; round += 1) {
      ready.push(...(await sample(1, start(true))))
      unbound.push(...(await sample(1, start(false))))
    }
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    const build = await workbench.builds.build(folder)
    if (!build.ok || !build.value.ok) throw new Error('my_op does not build')
    const first = build.value
    // The same library under other names: loading is measured, not compiling.
    const libraries = Array.from({ length: rounds }, (_, index) => {
      const copy = path.join(cache.home, `copy-${index}`, path.basename(first.loadPath))
      fs.mkdirSync(path.dirname(copy), { recursive: true })
      fs.copyFileSync(first.loadPath, copy)
      return copy
    })
    options.say('python: import torch, load_library')
    const restart = await sample(rounds, async (index) => {
      await run(python, [
        '-c',
        `import torch; torch.ops.load_library(${JSON.stringify(libraries[index])})`,
      ])
    })
    options.say('reload')
    await workbench.hosts.load(first.loadPath, { timeout: 60 })
    const generation = workbench.hosts.state().generation
    const reload = await sample(rounds, async (index) => {
      const loaded = await workbench.hosts.load(libraries[index] ?? '', { timeout: 60 })
      if (!loaded.ok) throw new Error(loaded.error.message)
    })
    if (workbench.hosts.state().generation !== generation)
      throw new Error('the reload took another process')
    options.say('warm spare')
    const swap: number[] = []
    for (const library of libraries) {
      // The spare needs its time to load libtorch; that is what it is for.
      await new Promise((resolve) => setTimeout(resolve, 2500))
      const [seconds = 0] = await sample(1, async () => {
        await workbench.hosts.restart()
        const loaded = await workbench.hosts.load(library, { timeout: 60 })
        if (!loaded.ok) throw new Error(loaded.error.message)
      })
      swap.push(seconds)
    }
    const peer = { name: 'new Python: import torch, load_library', samples: restart }
    return [
      row('op host started, libtorch loaded', 's', ready, peer),
      row('op host started, in its sandbox', 's', ready, {
        name: 'op host without a sandbox',
        samples: unbound,
      }),
      row('rebuilt library, same process', 's', reload, peer),
      row('rebuilt library, warm spare', 's', swap, peer),
    ]
  } finally {
    await workbench.close()
    cache.remove()
  }
}

export { runHost as run }
