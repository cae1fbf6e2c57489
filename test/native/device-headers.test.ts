import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

import { expect, it } from 'vitest'

import type { BuildReport } from '../../electron/contract/build'
import type { Diagnostic } from '../../electron/contract/diagnostics'
import { unwrap } from '../../electron/contract/outcome'
import { planBuild } from '../../electron/engine/compile/plan'
import type { BuildPlan } from '../../electron/engine/compile/plan'
import type { OpenProject } from '../../electron/engine/project/open-project'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

/** Headers for device code, in which shared code is marked: they change how long a build takes, and nothing else. */

const { workbench, cache } = useWorkbench({ prepareMissingHeaders: false })
const folder = copyProject(path.join(root, 'test/cases/virtual_gpu_project'), cache)
const source = path.join(folder, 'op.cu')
const text = fs.readFileSync(source, 'utf8')
/** A macro that libtorch's headers might read: sources with it start from the usual header. */
const macroOfHeaders = '-DTORCH_EXAMPLE=1'

async function open(): Promise<OpenProject> {
  return unwrap(await workbench.projects.open(folder))
}

async function plan(project: OpenProject): Promise<BuildPlan> {
  const toolchain = unwrap(await project.toolchain())
  const { installation } = workbench
  return unwrap(await planBuild({ installation, toolchain, project, variant: 'plain' }))
}

/** Of op.cu: the file name of the header that it starts from. */
function headerOf({ compiles }: BuildPlan): string {
  const { args = [] } = compiles.find(({ label }) => label === 'op.cu') ?? {}
  return path.basename(args[args.indexOf('-include-pch') + 1] ?? '')
}

async function build(newText: string): Promise<BuildReport> {
  fs.writeFileSync(source, newText)
  return unwrap(await workbench.builds.build(folder))
}

const errorsOf = ({ diagnostics }: BuildReport): Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error')

it('prepare makes them, and builds of CUDA sources start from them', async () => {
  unwrap(await workbench.headers.prepare(1, await open()))
  const planned = await plan(await open())
  expect(planned.missingHeaders).toEqual([])
  expect(headerOf(planned)).toBe('device_extension.pch')
  // Made once.
  expect(unwrap(await workbench.headers.prepare(1, await open())).made).toBe(0)
})

it('what is built calls the shared code, and equals its references', async () => {
  const built = await build(`${text}// ${randomUUID()}\n`)
  expect(errorsOf(built)).toEqual([])
  const { command = [] } = built.steps.find(({ kind }) => kind === 'link') ?? {}
  expect(command.filter((word) => word.endsWith('/libopsmith_shared_code.so'))).toHaveLength(1)
  const { calls, inputs } = unwrap(await readManifest(folder))
  for (const { op, args, reference = '' } of calls) {
    const request = { op, args, inputs, reference }
    const run = unwrap(await workbench.runs.run(folder, request, { timeout: 170 }))
    expect(run.comparisons, op).toMatchObject([{ matches: true, mismatched: 0 }])
  }
  const outcomes = unwrap(await workbench.gradchecks.runAll(folder, { timeout: 170 }))
  expect(outcomes).toMatchObject([{ op: 'gpu_project::scale', verdict: 'passed' }])
})

it('a mistake and a missing #include are the errors of the usual headers', async () => {
  expect(headerOf(await plan(await open()))).toBe('device_extension.pch')
  const wrong = text
    .replace('#include <c10/cuda/CUDAGuard.h>\n', '')
    .replace('y[i] = static_cast<scalar_t>', 'y[j] = static_cast<scalar_t>')
  const found = errorsOf(await build(wrong))
  expect(found.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringContaining("undeclared identifier 'j'"),
      expect.stringContaining('CUDAGuard'),
    ]),
  )
  const manifest = path.join(folder, 'opsmith.json')
  const before = fs.readFileSync(manifest, 'utf8')
  const flags = { cudaCflags: [macroOfHeaders] }
  fs.writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(before) as object), ...flags }))
  try {
    expect(headerOf(await plan(await open()))).toBe('extension.pch')
    expect(errorsOf(await build(wrong))).toEqual(found)
  } finally {
    fs.writeFileSync(manifest, before)
    fs.writeFileSync(source, text)
  }
})

it('checks, counts and steps see every access: they compile without shared code', async () => {
  const { projects } = workbench
  expect(headerOf(await plan(await open()))).toBe('device_extension.pch')
  for (const variant of ['checked', 'counted'] as const) {
    projects.kernelVariant = variant
    expect(headerOf(await plan(await open()))).toBe('extension.pch')
  }
  projects.kernelVariant = 'plain'
  expect(headerOf(await plan((await open()).forStepping()))).toBe('extension.pch')
})
