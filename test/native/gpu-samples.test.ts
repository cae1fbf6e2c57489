import fs from 'node:fs'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import type { GpuReport } from '../../electron/contract/gpu-findings'
import type { Manifest } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import type { Result } from '../../electron/contract/outcome'
import type { RunReport } from '../../electron/contract/run'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, gpuSamples, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/** Samples whose kernels run on the virtual GPU. */

const { workbench, cache } = useWorkbench()
const limits = { timeout: 170 }

interface Project {
  folder: string
  manifest: Manifest
}

async function open(name: string): Promise<Project> {
  const folder = copyProject(path.join(root, 'samples', name), cache)
  return { folder, manifest: unwrap(await readManifest(folder)) }
}

async function build({ folder }: Project): Promise<void> {
  const built = unwrap(await workbench.builds.build(folder))
  expect(built.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(built.ok).toBe(true)
}

/** Every call of opsmith.json, with its kernels checked. */
async function checkedCalls(
  project: Project,
): Promise<{ calls: { op: string; run: Result<RunReport> }[]; report: GpuReport }> {
  workbench.projects.kernelVariant = 'checked'
  await build(project)
  const { folder, manifest } = project
  const calls = []
  for (const { op, args, reference, rtol, atol } of manifest.calls) {
    const compared = reference === undefined ? {} : { reference }
    const tolerances = { ...(rtol !== undefined && { rtol }), ...(atol !== undefined && { atol }) }
    const request = { op, args, inputs: manifest.inputs, ...compared, ...tolerances }
    calls.push({ op, run: await workbench.runs.run(folder, request, limits) })
  }
  return { calls, report: await workbench.kernelChecks.all() }
}

afterEach(() => {
  workbench.kernelChecks.clear()
  workbench.projects.kernelVariant = 'plain'
})

describe.each([...gpuSamples])('the sample %s', (name) => {
  it('has calls that equal their references, and kernels without findings', async () => {
    const project = await open(name)
    const { calls, report } = await checkedCalls(project)
    for (const { op, run } of calls) {
      const { comparisons } = unwrap(run)
      expect(comparisons.length, op).toBeGreaterThan(0)
      for (const { matches, message } of comparisons)
        expect(matches, `${op}: ${message}`).toBe(true)
    }
    expect(report.findings).toEqual([])
    expect(report.launches).toBeGreaterThan(0)
  })

  it('has gradchecks with the expected verdicts, and a program that compiles', async () => {
    const project = await open(name)
    await build(project)
    const { folder, manifest } = project
    const outcomes = unwrap(await workbench.gradchecks.runAll(folder, limits))
    expect(outcomes).toHaveLength(manifest.gradchecks.length)
    for (const { asExpected, report, error } of outcomes)
      expect(asExpected, JSON.stringify(report?.findings ?? error)).toBe(true)
    expect(outcomes.some(({ verdict }) => verdict === 'passed')).toBe(true)
    expect(fs.readFileSync(path.join(folder, 'README.md'), 'utf8').length).toBeGreaterThan(100)
    const functions = unwrap(await workbench.runs.programFunctions(folder))
    expect(functions.length).toBeGreaterThan(0)
  })
})

it('is exported with kernels only for a libtorch that has CUDA', async () => {
  const { folder } = await open('lltm')
  const directory = path.join(cache.home, 'exported')
  const request = { forms: ['cmake' as const], directory, proof: false, decisions: {}, pythons: [] }
  const { forms } = unwrap(await workbench.exports.run(folder, request, {}))
  expect(forms.map(({ ok }) => ok)).toEqual([true])
  const lists = fs.readFileSync(path.join(directory, 'cmake/CMakeLists.txt'), 'utf8')
  expect(lists).toMatch(/if\(CMAKE_CUDA_COMPILER AND TARGET torch_cuda\)\s+add_library\(lltm_cuda/)
})

describe('the sample broken_kernels', () => {
  /** Lines that say what is found there: `file:line check`. */
  function marked(folder: string, word: string): string[] {
    return fs
      .readdirSync(folder)
      .filter((file) => file.endsWith('.cu'))
      .flatMap((file) => {
        const lines = fs.readFileSync(path.join(folder, file), 'utf8').split('\n')
        return lines.flatMap((line, index) => {
          const check = new RegExp(`// ${word}: (\\S+)$`).exec(line)?.[1]
          return check === undefined ? [] : [`${file}:${index + 1} ${check}`]
        })
      })
      .sort()
  }

  it('shows each defect at its line, and nothing else', async () => {
    const project = await open('broken_kernels')
    const { calls, report } = await checkedCalls(project)
    const ends = calls.map(({ op, run }) => `${op}: ${run.ok ? 'ok' : run.error.message}`)
    const also = new Set(marked(project.folder, 'and'))
    const found = report.findings.map(
      ({ check, place }) => `${path.relative(project.folder, place.file)}:${place.line} ${check}`,
    )
    const others = [...new Set(found)].filter((one) => !also.has(one))
    expect(others.sort(), ends.join('\n')).toEqual(marked(project.folder, 'finds'))
  })

  it('has an operator for each line of its README', () => {
    const folder = path.join(root, 'samples/broken_kernels')
    const text = fs.readFileSync(path.join(folder, 'README.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `(\w+)` \| `([\w-]+)` \|/gm)]
    const registered = fs.readFileSync(path.join(folder, 'broken_kernels.cpp'), 'utf8')
    const names = [...registered.matchAll(/m\.def\("(\w+)\(/g)].map(([, op]) => op)
    expect(rows.map(([, op]) => op)).toEqual(names)
    const checks = marked(folder, 'finds').map((one) => one.split(' ')[1])
    expect(rows.map(([, , check]) => check).sort()).toEqual(checks.sort())
  })
})
