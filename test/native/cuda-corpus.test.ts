/** CUDA programs as people write them: the virtual GPU gives the CPU's results, and its checks find nothing. */
import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { casesIn, cudaCases, findingText, runCuda } from '../support/cuda-programs'
import { useWorkbench } from '../support/workbench'

const { workbench } = useWorkbench()
const folder = path.join(cudaCases, 'corpus')

const severalFiles = fs
  .readdirSync(path.join(folder, 'several_files'))
  .filter((file) => file.endsWith('.cu'))
  .map((file) => path.join(folder, 'several_files', file))
const programs: [string, string[]][] = [
  ...casesIn('corpus').map((name): [string, string[]] => [name, [path.join(folder, `${name}.cu`)]]),
  ['several_files', severalFiles],
]

describe.each([
  ['plain', false],
  ['checked', true],
])('%s', (_, isChecked) => {
  for (const [name, sources] of programs) {
    it(`${name} gives the right results`, async () => {
      const { diagnostics, exitCode, stdout, report } = await runCuda(workbench, sources, isChecked)
      expect(diagnostics).toEqual([])
      expect(stdout).toContain(`${name}: ok`)
      expect(exitCode).toBe(0)
      if (!report) return
      expect(report.findings.map(findingText)).toEqual([])
      expect(report.launches).toBeGreaterThan(0)
      expect(report.accesses).toBeGreaterThan(0)
    })
  }
})
