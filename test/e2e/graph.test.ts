import fs from 'node:fs'
import path from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { App } from '../support/app'
import { decorations } from '../support/editor-parts'
import { copyProject, makeTestCache, root } from '../support/installation'
import type { GraphState } from '../support/test-hook'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
/** A capture and its picture, once the project is built. */
const pictureTime = 90_000
let cache: TestCache
let app: App
let folder: string

const state = (): Promise<GraphState> =>
  app.page.evaluate(() => {
    const state = window.opsmithTest?.graph.state()
    if (!state) throw new Error('no test hook')
    return state
  })

/** Waits until the picture is whole and its title (and step) is the wanted one; says what it saw instead. */
async function shown(title: string, step?: number, timeout = pictureTime): Promise<GraphState> {
  try {
    await app.page.waitForFunction(
      ([wanted, at]) => {
        const now = window.opsmithTest?.graph.state()
        if (!now || now.working || !now.complete) return false
        return now.title === wanted && (at === null || now.step === at)
      },
      [title, step ?? null] as const,
      { timeout },
    )
  } catch (problem) {
    await app.pictureOfFault('graph-not-shown')
    throw new Error(`not shown: ${title}; instead ${JSON.stringify(await state())}`, {
      cause: problem,
    })
  }
  return await state()
}

/** Waits until nothing moves in the picture any more, whatever it is of. */
async function atRest(): Promise<void> {
  await app.page.waitForFunction(() => {
    const now = window.opsmithTest?.graph.state()
    return now?.complete === true && !now.working
  })
}

async function open(): Promise<void> {
  cache = makeTestCache()
  folder = copyProject(path.join(root, 'samples/warp_perspective'), cache)
  app = await App.start(cache, folder)
  await app.testId('tool-tab-graph').click()
  await shown('compute · script', undefined, buildTime)
}

async function close(): Promise<void> {
  await app.close()
  cache.remove()
}

/** Node ids of a kind, from the graph itself as it is exported. */
async function nodesOf(kind: string): Promise<number[]> {
  const file = path.join(folder, 'nodes.json')
  await app.page.evaluate(() => window.opsmithTest?.graph.exportAs('json', 'nodes.json'))
  const graph = JSON.parse(fs.readFileSync(file, 'utf8')) as { nodes: Node[] }
  const found: number[] = []
  const visit = (nodes: Node[]): void => {
    for (const node of nodes) {
      if (node.kind === kind) found.push(node.id)
      for (const block of node.blocks ?? []) visit(block.nodes)
    }
  }
  visit(graph.nodes)
  return found
}

interface Node {
  id: number
  kind: string
  blocks?: { nodes: Node[] }[]
}

async function centreOf(node: number): Promise<{ x: number; y: number }> {
  // A layout that is still to be shown moves the view.
  await atRest()
  const box = await app.page.evaluate(
    async (id) => (await window.opsmithTest?.graph.boxOf(id)) ?? null,
    node,
  )
  if (!box) throw new Error(`node ${node} has no box`)
  return { x: box.x + box.w / 2, y: box.y + box.h / 2 }
}

// One window for several tests, each of which begins where the one before it ended.
beforeAll(open)
afterAll(close)

describe('traces and passes', () => {
  it('a trace that lost control flow shows a warning on that line and can be compared with the script', async () => {
    await app.openFile('program.py')
    const lines = (await app.text('program.py')).split('\n')
    const branch = lines.findIndex((line) => line.includes('x[0][0] == 42')) + 1
    await app.testId('graph-form').selectOption('trace')
    const traced = await shown('compute · trace')
    expect(traced.boxes).toBeLessThan(10)
    await expect
      .poll(async () => (await app.markers('program.py')).map((marker) => marker.line))
      .toContain(branch)
    const marker = (await app.markers('program.py')).find((item) => item.line === branch)
    expect(marker?.severity).toBe('warning')
    await app.testId('graph-script-beside').click()
    await app.testId('graph-canvas-before').waitFor()
    const compared = await shown('compute · trace')
    expect(compared.changes?.removed).toBeGreaterThan(0)
    expect(compared.compare).toBe('compute · script')
    expect(
      compared.changed.filter((item) => item.kind === 'removed').map((i) => i.title),
    ).toContain('if')
    await app.picture('graph-trace-beside')
  })

  it('each pass keeps a graph of its own, which marks what the pass changed', async () => {
    await app.page.evaluate(() =>
      window.opsmithTest?.graph.choose(
        {
          form: 'script',
          passes: [],
          compare: { kind: 'auto' },
          beside: false,
          step: null,
          view: 'graph',
        },
        true,
      ),
    )
    await shown('compute · script')
    await app.testId('graph-entry').selectOption('name warp_reference')
    await shown('warp_reference · script')
    await app.testId('graph-add-pass').selectOption('inline')
    await shown('warp_reference · script', 1)
    await app.testId('graph-add-pass').selectOption('dead_code')
    const two = await shown('warp_reference · script', 2)
    expect(two.steps.map((step) => step.name)).toEqual(['captured', 'inline', 'dead_code'])
    await app.testId('graph-step-1').click()
    const inlined = await shown('warp_reference · script', 1)
    expect(inlined.compare).toMatch(/captured/)
    // pixel() is called four times: the calls go, their bodies come.
    const gone = inlined.changed.filter((item) => item.kind === 'removed')
    expect(gone.map((item) => item.title)).toContain('call function')
    expect(inlined.changes?.added).toBeGreaterThan(40)
    await app.picture('graph-passes')
    await app.testId('graph-overlay').selectOption('time')
    await app.testId('graph-legend').waitFor()
    expect(await app.testId('graph-legend').textContent()).toMatch(/s/)
    await app.picture('graph-time')
  })

  it('the panel cuts nothing off at three window sizes in both themes', async () => {
    await app.page.evaluate(() =>
      window.opsmithTest?.graph.choose({ passes: ['inline', 'constant_propagation'] }, true),
    )
    await app.testId('graph-add-pass').selectOption('common_subexpressions')
    await shown('warp_reference · script', 3)
    expect(await app.testId('graph-overlay').inputValue()).toBe('time')
    await app.testId('graph-legend').waitFor()
    for (const [width, height] of [
      [1280, 800],
      [1600, 1000],
      [1024, 700],
    ] as const) {
      await app.resize(width, height)
      for (const theme of ['dark', 'light'] as const) {
        await app.page.emulateMedia({ colorScheme: theme })
        await shown('warp_reference · script', 3)
        const problems = await app.page.evaluate(whatIsCutOff)
        expect(problems, `${width}x${height} ${theme}`).toEqual([])
        await app.picture(`graph-${width}x${height}-${theme}`)
      }
    }
  })

  it('a window that is opened again shows the graph as it was', async () => {
    await app.testId('graph-entry').selectOption('name compute')
    await app.page.evaluate(() =>
      window.opsmithTest?.graph.choose({ form: 'trace', passes: ['dead_code'] }, true),
    )
    await shown('compute · trace')
    await app.testId('graph-view-both').click()
    await app.close()
    app = await App.start(cache, folder)
    const again = await shown('compute · trace', undefined, buildTime)
    expect(again.steps.map((step) => step.name)).toEqual(['captured', 'dead_code'])
    await app.testId('graph-text').filter({ hasText: 'aten::matmul' }).waitFor()
  })
})

describe('the graph of a script', () => {
  beforeAll(async () => {
    await app.resize(1600, 1000)
    await app.page.evaluate(() =>
      window.opsmithTest?.graph.choose(
        {
          form: 'script',
          passes: [],
          compare: { kind: 'auto' },
          view: 'graph',
          overlay: 'none',
          beside: false,
          step: null,
        },
        true,
      ),
    )
    await shown('compute · script')
  })

  it("the script's graph can be folded and searched, and it links to the source and back", async () => {
    const before = await state()
    // x, y, eye, two select, eq, Bool, warp_perspective, matmul, if with two results, add, output.
    expect(before.boxes).toBe(14)

    const [branch] = await nodesOf('prim::If')
    const header = await centreOf(branch!)
    await app.page.mouse.dblclick(header.x, header.y)
    await app.page.waitForFunction(() => window.opsmithTest?.graph.state().boxes === 12)
    await app.page.getByTestId('graph-canvas-main').focus()
    await app.page.keyboard.press('Enter')
    await app.page.waitForFunction(() => window.opsmithTest?.graph.state().boxes === 14)

    await app.testId('graph-search').fill('op:matmul')
    await expect
      .poll(async () => await app.testId('graph-search-count').textContent())
      .toBe('1 hit')
    await app.testId('graph-search').press('Enter')
    await expect.poll(async () => (await state()).selected).toBe('aten::matmul')
    await app.testId('graph-search').fill('shape:[')
    await expect
      .poll(async () => await app.testId('graph-search').getAttribute('aria-invalid'))
      .toBe('true')
    await app.testId('graph-search').fill('')

    // A click selects; the link leads to the program's line.
    await app.page.evaluate(() => window.opsmithTest?.graph.fit())
    const [warp] = await nodesOf('my_ops::warp_perspective')
    const at = await centreOf(warp!)
    await app.page.mouse.click(at.x, at.y)
    await expect.poll(async () => (await state()).selected).toBe('my_ops::warp_perspective')
    const inspector = app.testId('graph-inspector')
    expect(await inspector.textContent()).toContain('Tensor')
    await app.picture('graph-script')
    const source = fs.readFileSync(path.join(folder, 'program.py'), 'utf8').split('\n')
    const line = source.findIndex((text) => text.includes('torch.ops.my_ops.warp_perspective')) + 1
    await inspector.getByRole('button', { name: `program.py:${line}` }).click()
    await app.testId('tab-program.py').waitFor()
    await expect
      .poll(async () => await decorations(app.page, 'graph-place').count())
      .toBeGreaterThan(0)
    // The way back: the line that the cursor is in shows its nodes, and only as long as it is in it.
    // Two there: the operator and torch.eye.
    await expect.poll(async () => (await state()).marked).toBe(2)
    await app.openFile('program.py', 1)
    await expect.poll(async () => (await state()).marked).toBe(0)
    await app.openFile('program.py', line)
    await expect.poll(async () => (await state()).marked).toBe(2)
    await app.page.evaluate(() => window.opsmithTest?.graph.fit())
    await app.picture('graph-line')
    // Its kernel's source is one click away.
    const kernel = inspector.getByRole('button', { name: /op\.cpp:\d+/ })
    await kernel.click()
    const activeTabs = app.page.getByRole('tab', { selected: true })
    await expect
      .poll(async () => await activeTabs.filter({ has: app.testId('tab-op.cpp') }).count())
      .toBe(1)
    await app.focused('op.cpp')

    // Arrows walk: down from warp_perspective is matmul.
    await app.page.getByTestId('graph-canvas-main').focus()
    await app.page.keyboard.press('ArrowDown')
    await expect.poll(async () => (await state()).selected).toBe('aten::matmul')
    // Enter goes to the details of a node that has nothing to expand, and Escape comes back.
    await app.page.keyboard.press('Enter')
    await inspector.locator('button:focus').filter({ hasText: 'program.py' }).waitFor()
    expect((await state()).selected).toBe('aten::matmul')
    await app.page.keyboard.press('Escape')
    await app.page.locator('[data-testid=graph-canvas-main]:focus').waitFor()
    await app.page.keyboard.press('Escape')
    await expect.poll(async () => (await state()).selected).toBe('')
  })

  it('an edit marks what it changed in the graph, and everything else keeps its place', async () => {
    await app.openFile('program.py')
    const [matmul] = await nodesOf('aten::matmul')
    await app.page.evaluate((id) => window.opsmithTest?.graph.select(id), matmul!)
    await expect.poll(async () => (await state()).selected).toBe('aten::matmul')
    const before = await centreOf(matmul!)
    const zoom = (await state()).viewport?.zoom

    await app.replace('program.py', 'return x.matmul(y) + z', 'return torch.relu(x.matmul(y)) + z')
    await app.save()
    await app.page.waitForFunction(
      () => {
        const now = window.opsmithTest?.graph.state()
        return now?.changes?.added === 1 && now.complete && !now.working
      },
      undefined,
      { timeout: buildTime },
    )
    const now = await state()
    expect(now.compare).toBe('the previous build')
    expect(now.changed.find((item) => item.kind === 'added')?.title).toBe('relu')
    expect(now.selected).toBe('aten::matmul')
    expect(now.viewport?.zoom).toBe(zoom)
    const [same] = await nodesOf('aten::matmul')
    const after = await centreOf(same!)
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(2)
    await app.picture('graph-changed')

    // The operator is built anew: the same graph, nothing marked, and the place is kept again.
    await app.openFile('op.cpp')
    const source = await app.text('op.cpp')
    await app.setText('op.cpp', `${source}\n// another build\n`)
    await app.save()
    await app.page.waitForFunction(
      () => {
        const graph = window.opsmithTest?.graph.state()
        return graph?.changes?.added === 0 && graph.changes.changed === 0 && !graph.working
      },
      undefined,
      { timeout: buildTime },
    )
    expect((await state()).selected).toBe('aten::matmul')
  })

  it('a graph can be exported, saved and opened again', async () => {
    const exported = async (format: string, name: string): Promise<string> => {
      await app.page.evaluate(
        async ([kind, file]) => {
          await window.opsmithTest?.graph.exportAs(kind ?? '', file ?? '')
        },
        [format, name],
      )
      return path.join(folder, name)
    }
    expect(fs.readFileSync(await exported('svg', 'g.svg'), 'utf8')).toMatch(/^<svg[\s\S]*matmul/)
    expect(fs.readFileSync(await exported('dot', 'g.dot'), 'utf8')).toMatch(/^digraph/)
    expect(fs.readFileSync(await exported('text', 'g.txt'), 'utf8')).toContain('aten::matmul')
    const png = fs.readFileSync(await exported('png', 'g.png'))
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect(png.length).toBeGreaterThan(5_000)
    await exported('json', 'g.json')

    await app.testId('graph-search').fill('op:conv2d')
    await expect.poll(() => app.testId('graph-search-count').textContent()).toBe('no hits')
    await app.testId('graph-search').fill('op:add')
    await app.testId('graph-form').selectOption('trace')
    await shown('compute · trace')
    expect(await app.testId('graph-search').inputValue()).toBe('op:add')
    await app.page.evaluate(() => window.opsmithTest?.graph.compareFile('g.json'))
    const against = await shown('compute · trace')
    expect(against.compare).toBe('g.json')
    expect(against.changes?.removed).toBeGreaterThan(0)

    await app.page.evaluate(() => window.opsmithTest?.graph.save('compute_traced.pt'))
    expect(fs.existsSync(path.join(folder, 'compute_traced.pt'))).toBe(true)
    await app.page.evaluate(() => window.opsmithTest?.graph.openFile('compute_traced.pt'))
    // The boxes are those of the graph before until the new one is laid out.
    await atRest()
    const archive = await state()
    expect(archive.error).toBe('')
    expect(archive.title).toMatch(/^(forward|compute)/)
    expect(archive.boxes).toBeGreaterThan(4)
    // What was searched for in the other model would dim this one.
    await expect.poll(() => app.testId('graph-search').inputValue()).toBe('')
  })
})

/** Runs in the window: controls outside of the panel, choices whose words do not fit, a picture too small. */
function whatIsCutOff(): string[] {
  const problems: string[] = []
  const panel = document.querySelector('[data-testid="graph-panel"]')
  if (!panel) return ['no panel']
  const room = panel.getBoundingClientRect()
  const measure = document.createElement('canvas').getContext('2d')
  const bars = [...panel.querySelectorAll<HTMLElement>('[data-testid^=graph-][data-testid$=-bar]')]
  if (bars.length < 3) problems.push(`there are ${bars.length} bars`)
  for (const control of bars.flatMap((bar) => [
    ...bar.querySelectorAll<HTMLElement>('select, button'),
  ])) {
    // Steps scroll in their line.
    if (control.closest('[aria-label=Steps]')) continue
    const box = control.getBoundingClientRect()
    const name = control.getAttribute('aria-label') ?? control.textContent
    if (box.left < room.left || box.right > room.right + 0.5) problems.push(`${name} is outside`)
    if (!(control instanceof HTMLSelectElement) || !measure) continue
    // Names of functions may be of any length.
    if (control.dataset['testid'] === 'graph-entry') continue
    const style = getComputedStyle(control)
    measure.font = style.font
    const words = control.selectedOptions[0]?.text.trim() ?? ''
    // The arrow takes the rest.
    const inside = control.clientWidth - parseFloat(style.paddingLeft) - 24
    if (measure.measureText(words).width > inside) problems.push(`"${words}" is cut off`)
  }
  const picture = document.querySelector('[data-testid="graph-canvas-main"]')
  const height = picture?.getBoundingClientRect().height ?? 0
  if (height < room.height / 4) problems.push(`the picture is ${height} of ${room.height}`)
  return problems
}
