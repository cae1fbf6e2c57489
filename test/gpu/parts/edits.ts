import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import { unwrap } from '../../../electron/contract/outcome'
import { findCudaToolkit } from '../../../electron/engine/toolchain/cuda'
import { driverHere } from './projects'
import type { BuiltSample } from './projects'

const toolkit = await findCudaToolkit()
const rounds = 10

export function testEdits(sample: BuiltSample): void {
  const { workbench, folder, manifest, onGpu } = sample
  const forceOn = async (device: string): Promise<boolean[]> => {
    const [call] = manifest().calls
    const inputs = Object.fromEntries(
      Object.entries(onGpu()).map(([name, spec]) => [name, { ...spec, device }]),
    )
    const { outputs, comparisons } = unwrap(
      await workbench.runs.run(
        folder(),
        {
          op: 'CalcOps::calculateForce',
          args: call?.args ?? [],
          inputs,
          reference: call?.reference ?? '',
        },
        { timeout: 60 },
      ),
    )
    const [output] = outputs
    expect(output?.kind === 'tensor' && output.device).toBe(device)
    return comparisons.map(({ matches }) => matches)
  }

  it.skipIf(!toolkit)(
    `${rounds} edits of a kernel are built, loaded and called one after the other`,
    async () => {
      const file = path.join(folder(), 'src/cuda/add_forces.cu')
      const text = fs.readFileSync(file, 'utf8')
      for (let round = 0; round < rounds; round += 1) {
        // Another library each time, which takes the place of one whose kernels have run.
        fs.writeFileSync(file, `${text}\n__device__ int edit_${round} = ${round};\n`)
        expect(unwrap(await workbench.builds.build(folder())).ok).toBe(true)
        expect(await forceOn('cuda:0')).toEqual([true])
      }
    },
  )

  it('a second GPU gives the right forces too', async ({ skip }) => {
    const { devices } = await driverHere(sample)
    if (devices.length < 2) skip('there is one GPU')
    expect(await forceOn('cuda:1')).toEqual([true])
  })
}
