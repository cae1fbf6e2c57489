import fs from 'node:fs'
import path from 'node:path'

import type { App } from '../support/app'
import { copyProject, root } from '../support/installation'
import type { TestCache } from '../support/installation'
import { hotCases } from './hot-edits'

/** A project whose file is edited and saved in the window, once in each round. */
export interface LoopCase {
  name: string
  /** Seconds that a median may take from Ctrl+S to the new result on the screen; undefined: nothing is asked. */
  goal: number | undefined
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
    folder,
    file,
    edit: async ({ page }) => {
      await page.keyboard.press('Control+End')
      await page.keyboard.type('x')
    },
  }
}

/** The samples, and the cases of `perf -- hot-compile`. */
export function loopCases(cache: TestCache): LoopCase[] {
  const samples = sampleGoals.map(([name, file, goal]) => sampleCase(cache, name, file, goal))
  const start = Math.floor(Date.now() / 1000) % 1e6
  const edits = hotCases(cache).map((one): LoopCase => {
    const { name, folder } = one
    const file = path.relative(folder, one.file)
    const edit = async (app: App, round: number): Promise<void> => {
      await app.setText(file, one.text(start + round, path.basename(folder)))
      await app.focused(file)
    }
    return { name, goal: undefined, folder, file, edit }
  })
  return [...samples, ...edits]
}
