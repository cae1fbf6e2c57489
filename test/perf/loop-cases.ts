import fs from 'node:fs'
import path from 'node:path'

import type { App } from '../support/app'
import { copyProject, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { hotCases } from './hot-edits'
import type { HotCase } from './hot-edits'
import type { Watched } from './watch-window'

/** A project whose file is edited and saved in the window, once in each round. */
export interface LoopCase {
  name: string
  /** Seconds that a median may take from Ctrl+S to the new result on the screen. */
  goal: number
  /** The same of the slowest; undefined: nothing is asked. */
  worstGoal: number | undefined
  /** What of the window is watched: what the project has something for. */
  shows: readonly Watched[]
  folder: string
  /** Relative to the project. */
  file: string
  /** Puts an edit into the editor that has never been built; the keyboard is in the editor. */
  edit(app: App, round: number): Promise<void>
}

/** Seconds for the new result on the screen, as issue 18 asks. */
const sampleGoals = [
  ['sigmoid', 'op.cpp', 0.25],
  ['my_op', 'op.cpp', 0.25],
  ['gc_layer', 'gc_layer.cpp', 0.25],
  ['rms_norm', 'rms_norm.cpp', 0.5],
  ['calculate_force', 'src/calculate_force.cpp', 0.35],
] as const

/** One character is typed at the end of a comment: the text was never built before, whatever it was. */
function sampleCase(cache: TestCache, name: string, file: string, goal: number): LoopCase {
  const folder = copyProject(path.join(root, 'samples', name), cache)
  fs.appendFileSync(path.join(folder, file), `\n// ${Date.now()}`)
  return {
    name,
    goal,
    worstGoal: undefined,
    shows: ['built', 'run', 'schemas', 'graph', 'gradchecks', 'fresh'],
    folder,
    file,
    edit: async ({ page }) => {
      await page.keyboard.press('Control+End')
      await page.keyboard.type('x')
    },
  }
}

/** Another signature in each round: no call of opsmith.json fits them all. */
const changesSignature = ['signature']

/** What the Run panel shows of a case that has only an operator. */
function addCall({ folder, call }: HotCase): void {
  const file = path.join(folder, 'opsmith.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as object
  fs.writeFileSync(file, JSON.stringify({ ...manifest, calls: [call(0)] }))
}

/** The samples, and the cases of `perf -- hot-compile`. */
export function loopCases(cache: TestCache): LoopCase[] {
  const samples = sampleGoals.map(([name, file, goal]) => sampleCase(cache, name, file, goal))
  const start = Math.floor(Date.now() / 1000) % 1e6
  const edits = hotCases(cache).map((one): LoopCase => {
    const { name, folder } = one
    const file = path.relative(folder, one.file)
    const isSample = file !== 'op.cpp'
    const hasCall = isSample || !changesSignature.includes(path.basename(folder))
    if (!isSample && hasCall) addCall(one)
    const edit = async (app: App, round: number): Promise<void> => {
      await app.setText(file, one.text(start + round, path.basename(folder)))
      await app.focused(file)
    }
    const shows: Watched[] = ['built', ...(hasCall ? (['run'] as const) : []), 'schemas', 'fresh']
    return { name, goal: one.goal, worstGoal: one.worst, shows, folder, file, edit }
  })
  return [...samples, ...edits]
}
