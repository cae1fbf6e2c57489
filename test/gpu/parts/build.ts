import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../../electron/contract/outcome'
import { findCudaToolkit } from '../../../electron/engine/toolchain/cuda'
import { findOnPath } from '../../../electron/engine/toolchain/find-on-path'
import { gpuHere } from './projects'
import type { BuiltSample } from './projects'

const toolkit = await findCudaToolkit()
const cuobjdump =
  findOnPath('cuobjdump') ?? findOnPath(path.join(toolkit?.folder ?? '/', 'bin/cuobjdump'))

export function testBuild(sample: BuiltSample): void {
  const { workbench, folder, manifest, onGpu } = sample

  it.skipIf(!toolkit)(
    'the library has machine code for it, and its first call waits for no compiler',
    async () => {
      const { architecture } = await gpuHere(sample)
      const { loadPath, steps } = unwrap(await workbench.builds.build(folder()))
      const made = new Set(
        steps.flatMap(({ kernels }) => kernels ?? []).map((one) => one.architecture),
      )
      expect([...made].map((one) => one.replace(/[af]$/, ''))).toContain(architecture)
      if (cuobjdump !== undefined) {
        const listed = execFileSync(cuobjdump, ['-lelf', loadPath], { encoding: 'utf8' })
        expect(listed).toContain(`sm_${architecture}`)
      }
      const [call] = manifest().calls
      const { seconds } = unwrap(
        await workbench.runs.run(
          folder(),
          { op: 'CalcOps::calculateForce', args: call?.args ?? [], inputs: onGpu() },
          { timeout: 60 },
        ),
      )
      expect(seconds).toBeLessThan(1)
    },
  )

  it.skipIf(!toolkit)('a project that asks for 90a gets it on a Hopper', async ({ skip }) => {
    const { architecture } = await gpuHere(sample)
    if (architecture !== '90') skip(`the GPU here is sm_${architecture}`)
    const file = path.join(folder(), 'opsmith.json')
    const text = fs.readFileSync(file, 'utf8')
    fs.writeFileSync(file, text.replace('{', '{ "cudaArchitectures": ["90a"],'))
    const { steps } = unwrap(await workbench.builds.build(folder()))
    fs.writeFileSync(file, text)
    const made = steps.flatMap(({ kernels }) => kernels ?? []).map((one) => one.architecture)
    expect([...new Set(made)]).toEqual(['90a'])
  })
}
