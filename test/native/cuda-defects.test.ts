/** CUDA programs with one mistake each: a checked run finds it at its line, and nothing in the mended twin. */
import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import { casesIn, cudaCases, findingText, runCuda } from '../support/cuda-programs'
import { useWorkbench } from '../support/workbench'

const { workbench } = useWorkbench()
const folder = path.join(cudaCases, 'defects')

interface Expected {
  check: string
  line: number
}

/** `// finds: CHECK` and `// and: CHECK` stand on the lines of the mistake. */
function expectedIn(file: string): Expected[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const check = /\/\/ (?:finds|and): ([\w-]+)/.exec(text)?.[1]
      return check === undefined ? [] : [{ check, line: index + 1 }]
    })
}

for (const name of casesIn('defects')) {
  const file = path.join(folder, `${name}.cu`)
  if (name.endsWith('.clean')) {
    it(`finds nothing in ${name}`, async () => {
      const { diagnostics, report } = await runCuda(workbench, [file], true)
      expect(diagnostics).toEqual([])
      expect(report?.findings.map(findingText)).toEqual([])
    })
    continue
  }
  it(`finds ${name}`, async () => {
    const expected = expectedIn(file)
    const { diagnostics, report } = await runCuda(workbench, [file], true)
    expect(diagnostics).toEqual([])
    const findings = report?.findings ?? []
    const found = findings.map(({ check, place }) => ({ check: String(check), line: place.line }))
    expect(expected).toEqual(expect.arrayContaining(found))
    expect(found).not.toEqual([])
    // What prints a finding writes the name of its check before the message.
    for (const { check, message } of findings) expect(message.startsWith(check)).toBe(false)
  })
}

// What the checks themselves allocate while a kernel runs once counted as memory that the kernel
// allocated. The host got the same addresses later.
it('finds each read of host memory at an address that the checks have used', async () => {
  const file = path.join(cudaCases, 'reports/host_memory_after_report.cu')
  const { diagnostics, report, stdout } = await runCuda(workbench, [file], true)
  expect(diagnostics).toEqual([])
  expect(stdout).toBe('0 of 200 reads of host memory passed\n')
  expect(report?.findings.map(({ check }) => check)).toEqual(['host-pointer'])
})
