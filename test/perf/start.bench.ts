import fs from 'node:fs'
import path from 'node:path'

import { _electron } from 'playwright-core'

import { App } from '../support/app'
import { copyProject, makeTestCache, root } from '../support/installation'
import { row, sample } from './measure'
import type { BenchmarkOptions, Row } from './measure'

const rounds = 5

/** From process start to a workbench that takes keys, beside an empty window of the same Electron. */
export async function runStart(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  try {
    const project = copyProject(path.join(root, 'samples/my_op'), cache)
    const empty = path.join(cache.home, 'empty')
    fs.mkdirSync(empty)
    fs.writeFileSync(path.join(empty, 'package.json'), '{"name":"empty","main":"main.js"}')
    fs.writeFileSync(
      path.join(empty, 'main.js'),
      "const { app, BrowserWindow } = require('electron'); app.whenReady().then(() => new BrowserWindow().loadURL('data:text/html,<p>empty'))",
    )
    const executablePath = process.env['OPSMITH_ELECTRON'] ?? ''
    options.say('empty window')
    const bare = await sample(rounds, async () => {
      const electron = await _electron.launch({ executablePath, args: ['--no-sandbox', empty] })
      const page = await electron.firstWindow()
      await page.waitForLoadState('load')
      await electron.close()
    })
    options.say('workbench')
    const closing: number[] = []
    const full: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now()
      const app = await App.start(cache, project)
      full.push((performance.now() - started) / 1000)
      const [seconds = 0] = await sample(1, () => app.close())
      closing.push(seconds)
    }
    return [
      row('start to interactive, project open', 's', full, {
        name: 'empty window of the same Electron, opened and closed',
        samples: bare,
      }),
      row('close, with everything kept', 's', closing),
    ]
  } finally {
    cache.remove()
  }
}

export { runStart as run }
