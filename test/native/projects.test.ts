import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { startForkedHost } from '../../electron/engine/host/transport'
import { addOperator } from '../../electron/engine/project/add-operator'
import { createProject } from '../../electron/engine/project/new-project'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { Workbench } from '../../electron/engine/workbench'
import {
  copyProject,
  cpuSamples,
  root,
  subfolders,
  testInstallation,
} from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench({ inWindow: true })

const named = (folder: string): [string, string][] =>
  subfolders(path.join(root, folder)).map((project) => [path.basename(project), project])

/** Every call of a project answers, and equals its reference where it has one. */
async function expectCallsGood(folder: string): Promise<void> {
  const build = await workbench.builds.build(folder)
  expect(
    build.ok ? build.value.diagnostics.filter((item) => item.severity === 'error') : build.error,
  ).toEqual([])
  const manifest = await readManifest(folder)
  if (!manifest.ok) throw new Error(manifest.error.message)
  expect(manifest.value.calls.length).toBeGreaterThan(0)
  for (const call of manifest.value.calls) {
    const { op, args, reference, rtol, atol } = call
    const result = await workbench.runs.run(
      folder,
      {
        op,
        args,
        inputs: manifest.value.inputs,
        ...(reference === undefined ? {} : { reference }),
        ...(rtol === undefined ? {} : { rtol }),
        ...(atol === undefined ? {} : { atol }),
      },
      { timeout: 170 },
    )
    if (!result.ok) throw new Error(`${op}: ${result.error.message}`)
    expect(result.value.referenceError).toBeUndefined()
    expect(result.value.outputs.length).toBeGreaterThan(0)
    if (reference !== undefined) expect(result.value.comparisons.length).toBeGreaterThan(0)
    for (const comparison of result.value.comparisons) {
      expect(comparison.matches, `${op}: ${comparison.message}`).toBe(true)
    }
  }
}

describe('samples', () => {
  const copies = new Map<string, string>()
  // One copy of each: CUDA sources are compiled for each folder.
  const copyOf = (source: string): string => {
    const folder = copies.get(source) ?? copyProject(source, cache)
    copies.set(source, folder)
    return folder
  }

  it.each(cpuSamples().map((folder) => [path.basename(folder), folder]))(
    '%s builds, and its calls equal their references',
    async (_name, source) => {
      await expectCallsGood(copyOf(source))
    },
  )

  it.each(cpuSamples().map((folder) => [path.basename(folder), folder]))(
    '%s has a README and a program that compiles',
    async (_name, source) => {
      expect(fs.readFileSync(path.join(source, 'README.md'), 'utf8').length).toBeGreaterThan(100)
      const folder = copyOf(source)
      const build = await workbench.builds.build(folder)
      if (!build.ok) throw new Error(build.error.message)
      const load = await workbench.libraries.load(folder, { timeout: 170 })
      if (!load.ok) throw new Error(load.error.message)
      const functions = await workbench.runs.programFunctions(folder)
      expect(functions.ok ? functions.value.length : functions.error).toBeGreaterThan(0)
    },
  )
})

describe('templates', () => {
  // The empty one has nothing to call.
  const ids = named('templates').flatMap(([id]) => (id === 'empty' ? [] : [id]))
  it.each(ids)('a project from %s builds, and its calls and gradchecks are good', async (id) => {
    const folder = path.join(cache.home, `from_${id.replace('-', '_')}`)
    const made = await createProject(workbench.installation, folder, id)
    if (!made.ok) throw new Error(made.error.message)
    await workbench.projects.trust.decide(folder, 'trusted')
    await expectCallsGood(folder)
    const gradchecks = await workbench.gradchecks.runAll(folder, { timeout: 170 })
    if (!gradchecks.ok) throw new Error(gradchecks.error.message)
    expect(gradchecks.value.length).toBeGreaterThan(0)
    expect(gradchecks.value.map(({ verdict }) => verdict)).toEqual(
      gradchecks.value.map(() => 'passed'),
    )
  })
})

describe('operators that are added to a project', () => {
  // The namespace of a PYBIND11 module, and one of another name than the project's.
  it.each(['my_op', 'rms_norm'])('%s gets one of each kind, which are good', async (sample) => {
    const folder = copyProject(path.join(root, 'samples', sample), cache)
    const manifest = path.join(folder, 'opsmith.json')
    const text = fs.readFileSync(manifest, 'utf8')
    fs.writeFileSync(manifest, text.replace('{', '{ "optimization": "O0",'))
    for (const kind of ['operator', 'autograd', 'cuda']) {
      const added = await addOperator(workbench.installation, folder, `an_${kind}`, kind)
      if (!added.ok) throw new Error(added.error.message)
    }
    await expectCallsGood(folder)
  })
})

describe('ways to bind functions', () => {
  it.each(named('test/cases/bindings'))(
    'the calls of the project %s give the expected results',
    async (_name, source) => {
      await expectCallsGood(copyProject(source, cache))
    },
  )
})

const buildExpectation = z.union([
  z.object({
    ok: z.literal(false),
    diagnostics: z.array(
      z.object({
        severity: z.string().optional(),
        file: z.string().optional(),
        line: z.number().optional(),
        messageMatches: z.string().optional(),
      }),
    ),
  }),
  z.object({
    error: z.string(),
    path: z.string().optional(),
    messageMatches: z.string().optional(),
  }),
])

describe('builds that fail', () => {
  it.each(named('test/cases/build'))(
    '%s fails with the expected diagnostics at the expected places',
    async (_name, source) => {
      const expected = buildExpectation.parse(
        JSON.parse(fs.readFileSync(path.join(source, 'expected.json'), 'utf8')),
      )
      const folder = copyProject(source, cache)
      const build = await workbench.builds.build(folder)
      if ('error' in expected) {
        expect(build.ok ? 'built' : build.error.code).toBe(expected.error)
        if (build.ok) return
        if (expected.path !== undefined) expect(build.error.path).toBe(expected.path)
        if (expected.messageMatches !== undefined) {
          expect(`${build.error.message} ${build.error.hint ?? ''}`).toMatch(
            new RegExp(expected.messageMatches, 'i'),
          )
        }
        return
      }
      if (!build.ok) throw new Error(build.error.message)
      expect(build.value.ok).toBe(false)
      for (const wanted of expected.diagnostics) {
        const found = build.value.diagnostics.find((item) => {
          const text = [item.message, ...item.notes.map((note) => note.message)].join('\n')
          return (
            (wanted.severity === undefined || item.severity === wanted.severity) &&
            (wanted.file === undefined ||
              path.basename(item.file) === path.basename(wanted.file)) &&
            (wanted.line === undefined || item.line === wanted.line) &&
            (wanted.messageMatches === undefined ||
              new RegExp(wanted.messageMatches, 'i').test(text))
          )
        })
        expect(
          found,
          `${JSON.stringify(wanted)} among ${JSON.stringify(build.value.diagnostics, null, 1)}`,
        ).toBeDefined()
      }
    },
  )
})

describe('building', () => {
  it('unchanged sources come from the cache, and an edited header is noticed', async () => {
    const folder = copyProject(path.join(root, 'samples/calculate_force'), cache)
    // One small source includes it: an edit of the sample's own headers compiles three large ones.
    const header = path.join(folder, 'include/small.h')
    fs.writeFileSync(header, '#pragma once\n')
    const source = path.join(folder, 'src/force_kernel.cpp')
    fs.writeFileSync(source, `#include "small.h"\n${fs.readFileSync(source, 'utf8')}`)
    await workbench.builds.build(folder)
    const again = await workbench.builds.build(folder)
    expect(again.ok && again.value.steps.every((step) => step.cached)).toBe(true)
    fs.appendFileSync(header, `\n// edited ${Date.now()}\n`)
    const third = await workbench.builds.build(folder)
    expect(third.ok && third.value.ok && third.value.steps.some((step) => !step.cached)).toBe(true)
  })

  it('two builds of the same project at once both succeed', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.appendFileSync(path.join(folder, 'op.cpp'), `\n// ${Date.now()}\n`)
    const other = new Workbench(testInstallation(cache), startForkedHost)
    try {
      const both = await Promise.all([workbench.builds.build(folder), other.builds.build(folder)])
      for (const build of both) expect(build.ok && build.value.ok).toBe(true)
    } finally {
      await other.close()
    }
  })

  it('a build can be stopped', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    fs.appendFileSync(path.join(folder, 'op.cpp'), `\n// stopped ${Date.now()}\n`)
    const controller = new AbortController()
    const build = await workbench.builds.build(folder, {
      signal: controller.signal,
      onOutput: () => {
        controller.abort()
      },
    })
    expect(!build.ok && build.error.code).toBe('cancelled')
  })

  it('an edited library is loaded into the same process', async () => {
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    await workbench.builds.build(folder)
    const before = await workbench.libraries.load(folder, { timeout: 170 })
    const generation = workbench.hosts.state().generation
    expect(before.ok).toBe(true)
    fs.appendFileSync(
      path.join(folder, 'op.cpp'),
      `\nstatic int edited() { return ${Date.now() % 1000}; }\nint use_edited() { return edited(); }\n`,
    )
    const build = await workbench.builds.build(folder)
    expect(build.ok && build.value.ok).toBe(true)
    const after = await workbench.libraries.load(folder, { timeout: 170 })
    expect(after.ok && before.ok && after.value.operators.map((item) => item.schema)).toEqual(
      before.ok ? before.value.operators.map((item) => item.schema) : [],
    )
    expect(workbench.hosts.state().generation).toBe(generation)
  })
})
