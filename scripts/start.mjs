// `npm start [-- PROJECT]` opens the window; `npm start -- --headless PROJECT` reports on the terminal.
import fs from 'node:fs'
import path from 'node:path'

import { becomeCommand, userFolder, userPath } from './lib/launch.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'
import { electronCommand, refuseWithoutDisplay } from './lib/window.mjs'
import { setUpOrExit } from './setup.mjs'
import { environmentVariables } from './setup/environment.mjs'

const usage = `usage: npm start [-- PROJECT]              open the window, with PROJECT if given
       npm start -- --headless PROJECT     build, load and run PROJECT without a window, and print a report`

async function startHeadless(project) {
  const folder = userPath('start', project)
  if (!fs.existsSync(folder)) refuse(`${folder} does not exist.\n${usage}`)
  await setUpOrExit({ window: false, tests: false, headers: true })
  await becomeCommand([process.execPath, path.join(root, 'dist', 'cli.cjs'), 'report', folder], {
    cwd: userFolder('start'),
    env: { ...process.env, ...environmentVariables() },
  })
}

async function startWindow(project) {
  const folder = project === undefined ? undefined : userPath('start', project)
  if (folder && !fs.existsSync(folder)) refuse(`${folder} does not exist.\n${usage}`)
  await refuseWithoutDisplay()
  await setUpOrExit({ window: true, tests: false, headers: false })
  await becomeCommand([...electronCommand(), root, ...(folder ? [folder] : [])], {
    cwd: userFolder('start'),
    env: { ...process.env, ...environmentVariables() },
  })
}

const given = process.argv.slice(2)
const headless = given.includes('--headless')
const [project, ...rest] = given.filter((argument) => argument !== '--headless')
if (given.includes('--help') || given.includes('-h')) {
  console.log(usage)
} else if (rest.length > 0 || project?.startsWith('-') || (headless && !project)) {
  refuse(usage)
} else if (headless && project) {
  await startHeadless(project)
} else {
  await startWindow(project)
}
