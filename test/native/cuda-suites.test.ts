/** CUDA programs in the styles of public suites, each with its own verification, on the virtual GPU. */
import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { casesIn, cudaCases, findingText, runCuda } from '../support/cuda-programs'
import { useWorkbench } from '../support/workbench'

const { workbench } = useWorkbench()
const folder = path.join(cudaCases, 'suites')
const layered = path.join(folder, 'layered')

const programs: [string, string[], string[]][] = [
  ...casesIn('suites').map((name): [string, string[], string[]] => [
    name,
    [path.join(folder, `${name}.cu`)],
    [],
  ]),
  // matrix_kernel.cu is included by main.cu.
  [
    'layered',
    fs
      .readdirSync(path.join(layered, 'src'))
      .filter((file) => file !== 'matrix_kernel.cu')
      .map((file) => path.join(layered, 'src', file)),
    [path.join(layered, 'common')],
  ],
]

/** Without a barrier and without the word volatile: right in step, and a race since Volta. */
const races = new Set(['warp_sync_plain'])

describe.each([
  ['plain', false],
  ['checked', true],
])('%s', (_, isChecked) => {
  it.each(programs)('%s passes its own verification', async (name, sources, includeFolders) => {
    for (const seed of ['1', '2', '3']) {
      const { diagnostics, exitCode, stdout, report } = await runCuda(
        workbench,
        sources,
        isChecked,
        { includeFolders, seed },
      )
      expect(diagnostics).toEqual([])
      expect(stdout, `seed ${seed}`).toContain(`${name}: ok`)
      expect(exitCode).toBe(0)
      if (!report) continue
      const found = report.findings.map(findingText)
      if (races.has(name)) expect(found.join('\n')).toContain('missing-syncwarp')
      else expect(found).toEqual([])
      expect(report.launches).toBeGreaterThan(0)
    }
  })
})
