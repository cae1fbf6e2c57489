import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, expect } from 'vitest'

import type { GpuCheckName } from '../../electron/contract/gpu-check'
import { ok, unwrap } from '../../electron/contract/outcome'
import { checkOperator } from '../../electron/engine/check/check-operator'
import { checks } from '../../electron/engine/gpu-check/checks'
import { gatherFacts } from '../../electron/engine/gpu-check/facts'
import type { Judgement } from '../../electron/engine/gpu-check/judgement'
import { GpuSession } from '../../electron/engine/gpu-check/session'
import { tracedKernels } from '../../electron/engine/timing/kernels'
import { copyProject, root, testInstallation } from './installation'
import { buildStandIns } from './stand-ins'
import type { StandIns } from './stand-ins'
import { useWorkbench } from './workbench'

export interface GpuChecks {
  standIns: StandIns
  session: () => GpuSession
  check: (name: GpuCheckName) => Promise<Judgement>
}

/**
 * The checks of `doctor --gpu` on a device that is made of threads: native/gpu_check with the launchers of
 * test/cases/gpu-check. What they find on a GPU is test/gpu's to show.
 */
export function useGpuChecks(): GpuChecks {
  const { workbench, cache } = useWorkbench()
  const saved = { ...process.env }
  let session: GpuSession
  const standIns = buildStandIns(cache, ['driver', 'cupti'])

  beforeAll(async () => {
    Object.assign(process.env, standIns.environment)
    process.env['LD_PRELOAD'] = path.join(standIns.folder, 'libcupti.so.12')
    const folder = copyProject(path.join(root, 'test/cases/gpu-check'), cache)
    const add = (from: string, pattern: RegExp): void => {
      for (const name of fs.readdirSync(path.join(root, from))) {
        if (pattern.test(name))
          fs.copyFileSync(path.join(root, from, name), path.join(folder, name))
      }
    }
    add('test/cases/timing/device', /^(device|memory)\.(cpp|h)$/)
    add('native/gpu_check', /^operators\.cpp$|\.h$/)
    const project = unwrap(await workbench.projects.openOwn(folder))
    const installation = testInstallation(cache)
    const facts = await gatherFacts(installation, await project.toolchain())
    const parts = { installation, libraries: workbench.libraries }
    const never = new AbortController().signal
    session = new GpuSession(parts, { project, facts, device: 'privateuseone:0' }, never)
    const { report } = unwrap(await session.library())
    expect(report).toMatchObject({ ok: true, diagnostics: [] })
  })
  afterAll(async () => {
    await session.close()
    process.env = saved
  })

  const check = (name: GpuCheckName): Promise<Judgement> =>
    checks[name](session, {
      readKernels: tracedKernels,
      checkOperator,
      readTrace: async (write) => {
        const file = path.join(session.project.folder, 'trace.json')
        const written = await write(file)
        return written.ok ? ok(fs.readFileSync(file, 'utf8')) : written
      },
    })

  return { standIns, session: () => session, check }
}
