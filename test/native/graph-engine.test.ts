import fs from 'node:fs'
import path from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import type { CaptureReport, Graph } from '../../electron/contract/graph'
import { unwrap } from '../../electron/contract/outcome'
import type { Result, WorkbenchError } from '../../electron/contract/outcome'
import { readManifest } from '../../electron/engine/project/read-manifest'
import { copyProject, root } from '../support/installation'
import { useWorkbench } from '../support/workbench'

const { workbench, cache } = useWorkbench()
let project: string
const limits = { timeout: 170 }

beforeAll(async () => {
  project = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  expect(unwrap(await workbench.builds.build(project)).ok).toBe(true)
})

const scripted = async (entry: string, folder = project): Promise<CaptureReport> =>
  unwrap(await workbench.graphs.capture(folder, { entry, form: 'script' }, limits))

function errorOf(result: Result<unknown>): WorkbenchError {
  if (result.ok) throw new Error('expected an error')
  return result.error
}

describe('captures of graphs', () => {
  it('a capture takes arguments, inputs and checks from opsmith.json', async () => {
    const report = unwrap(
      await workbench.graphs.capture(project, { entry: 'compute', form: 'trace' }, limits),
    )
    expect(report.checks.map((check) => check.inputs)).toEqual(
      expect.arrayContaining([expect.stringContaining('compute(marked, y)')]),
    )
    const given = { entry: 'compute', form: 'trace' as const, args: ['marked', 'y'] }
    const other = unwrap(await workbench.graphs.capture(project, given, limits))
    expect(other.checks.map((check) => check.inputs)).toEqual(
      expect.arrayContaining([expect.stringContaining('compute(x, y)')]),
    )
  })

  it('the places in a graph are absolute paths to the program', async () => {
    const { capture } = await scripted('compute')
    const { graph } = unwrap(await workbench.graphs.read(capture, 0))
    const files = (JSON.parse(graph) as Graph).nodes.flatMap((node) => node.source?.file ?? [])
    expect(new Set(files)).toEqual(new Set([path.join(project, 'program.py')]))
  })

  it('a capture is gone after its release or the end of its op host, and the error explains it', async () => {
    const [first, second] = [await scripted('compute'), await scripted('pixel')]
    expect(unwrap(await workbench.graphs.release([first.capture, 12345]))).toEqual({ released: 1 })
    expect(errorOf(await workbench.graphs.read(first.capture, 0)).hint).toMatch(/Capture .* again/)
    expect(unwrap(await workbench.graphs.read(second.capture, 0)).text).toMatch(/^graph\(/)
    unwrap(await workbench.hosts.restart())
    for (const answer of [
      await workbench.graphs.read(second.capture, 0),
      await workbench.graphs.observe(second.capture, 0, 1, limits),
      await workbench.graphs.save(second.capture, path.join(cache.home, 'gone.pt')),
    ]) {
      expect(errorOf(answer)).toMatchObject({
        code: 'host.unavailable',
        hint: expect.stringMatching(/Capture .* again/) as string,
      })
    }
    expect(unwrap(await workbench.graphs.release([second.capture]))).toEqual({ released: 0 })
    // A new generation counts from the start again: numbers of ours do not.
    const third = await scripted('compute')
    expect(third.capture).toBeGreaterThan(second.capture)
  })

  it('a capture of an operator that crashes names the crash, and the next capture works', async () => {
    const crashing = copyProject(path.join(root, 'test/cases/crash/null_write'), cache)
    expect(unwrap(await workbench.builds.build(crashing)).ok).toBe(true)
    const call = unwrap(await readManifest(crashing)).calls[0]
    const request = { entry: call?.op ?? '', form: 'trace' as const }
    const report = await workbench.graphs.capture(crashing, request, limits)
    expect(errorOf(report)).toMatchObject({ code: 'host.crashed', exit: { reason: 'segfault' } })
    expect((await scripted('compute')).steps[0]?.nodes).toBeGreaterThan(5)
  })

  it('a capture can be stopped', async () => {
    const controller = new AbortController()
    const slow = copyProject(path.join(root, 'samples/my_op'), cache)
    const lines = Array.from({ length: 30_000 }, () => '    x = torch.relu(x) * y')
    const text = `import torch\ndef big(x, y):\n${lines.join('\n')}\n    return x\n`
    fs.writeFileSync(path.join(slow, 'program.py'), text)
    expect(unwrap(await workbench.builds.build(slow)).ok).toBe(true)
    unwrap(await workbench.libraries.load(slow, limits))
    const running = workbench.graphs.capture(
      slow,
      { entry: 'big', form: 'trace', args: ['x', 'y'] },
      { timeout: 170, signal: controller.signal },
    )
    setTimeout(() => {
      controller.abort()
    }, 300)
    expect(errorOf(await running).code).toBe('cancelled')
  })
})

describe('large graphs', () => {
  it('a large graph crosses the process boundary whole, at a cost that a user can wait for', async () => {
    const large = copyProject(path.join(root, 'samples/my_op'), cache)
    const lines = Array.from({ length: 50_000 }, () => '    x = torch.relu(x) * y')
    const text = `import torch\ndef big(x, y):\n${lines.join('\n')}\n    return x\n`
    fs.writeFileSync(path.join(large, 'program.py'), text)
    expect(unwrap(await workbench.builds.build(large)).ok).toBe(true)
    const { capture, steps } = await scripted('big', large)
    expect(steps[0]?.nodes).toBe(100_000)
    // Processor time: other tests run meanwhile.
    const before = process.cpuUsage()
    const read = unwrap(await workbench.graphs.read(capture, 0))
    const used = process.cpuUsage(before)
    const seconds = (used.user + used.system) / 1e6
    expect(read.graph.length).toBeGreaterThan(25e6)
    expect((JSON.parse(read.graph) as Graph).nodes).toHaveLength(100_000)
    expect(seconds).toBeLessThan(10)
  })
})

describe('model files', () => {
  it('a saved graph opens with the operators it needs', async () => {
    const { capture } = await scripted('compute')
    const file = path.join(cache.home, 'models', workbench.graphs.archiveName(capture))
    expect(path.basename(file)).toBe('compute_scripted.pt')
    const saved = unwrap(await workbench.graphs.save(capture, file))
    expect(saved).toEqual({ path: file, bytes: fs.statSync(file).size })
    expect(fs.readdirSync(path.dirname(file))).toEqual(['compute_scripted.pt'])
    const archive = unwrap(await workbench.graphs.openFile(project, file, limits))
    expect(archive).toMatchObject({ kind: 'torchscript', missing: [] })
    expect(archive.entries[0]?.name).toBe('forward')
    const report = unwrap(
      await workbench.graphs.capture(project, { entry: 'forward', form: 'script', file }, limits),
    )
    expect(unwrap(await workbench.graphs.read(report.capture, 0)).text).toContain(
      'my_ops::warp_perspective',
    )
  })

  it("a torch.export archive uses the registry's schemas and the library's operators", async () => {
    const file = path.join(root, 'test/cases/graphs/older.pt2')
    const archive = unwrap(await workbench.graphs.openFile(project, file, limits))
    expect(archive).toMatchObject({ kind: 'export', missing: [] })
    const { graph } = unwrap(await workbench.graphs.readFile(file, ''))
    const linear = (JSON.parse(graph) as Graph).nodes.find((node) => node.kind === 'aten::linear')
    expect(linear?.schema).toMatch(/^aten::linear\(/)
    expect(linear?.custom).toBeUndefined()
  })

  it('a graph saved as JSON is read from disk each time', async () => {
    const file = path.join(cache.home, 'saved.json')
    const { capture } = await scripted('compute')
    const saved = JSON.parse(unwrap(await workbench.graphs.read(capture, 0)).graph) as Graph
    const names: string[] = []
    for (const name of ['first', 'second']) {
      fs.writeFileSync(file, JSON.stringify({ ...saved, name }))
      const archive = unwrap(await workbench.graphs.openFile(project, file, limits))
      expect(archive.entries).toEqual([{ name, schema: '' }])
      const { graph } = unwrap(await workbench.graphs.readFile(file, name))
      names.push((JSON.parse(graph) as Graph).name)
    }
    fs.writeFileSync(file, JSON.stringify({ ...saved, name: 'third' }))
    const { graph } = unwrap(await workbench.graphs.readFile(file, ''))
    expect([...names, (JSON.parse(graph) as Graph).name]).toEqual(['first', 'second', 'third'])
  })

  it('a model archive is refused where a finished graph is wanted', async () => {
    const { capture } = await scripted('pixel')
    const file = path.join(cache.home, 'pixel.pt')
    unwrap(await workbench.graphs.save(capture, file))
    expect(errorOf(await workbench.graphs.readFile(file, 'forward')).message).toMatch(/TorchScript/)
  })
})
