// `npm start [-- PROJECT]` opens the window; `npm start -- --headless PROJECT` reports on the terminal.
import fs from 'node:fs'
import path from 'node:path'

import { displayProblem, sandboxProblem } from './lib/display.mjs'
import { becomeCommand, userFolder, userPath } from './lib/launch.mjs'
import { root } from './lib/paths.mjs'
import { setUpOrExit } from './setup.mjs'
import { resolveElectron } from './setup/electron-runtime.mjs'
import { environmentVariables } from './setup/environment.mjs'

const usage = `usage: npm start [-- PROJECT]              open the window, with PROJECT if given
       npm start -- --headless PROJECT     build, load and run PROJECT here, and print a report`

/** @returns {never} */
function refuse(message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

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
  // Said before minutes of set-up, not after them.
  const display = await displayProblem()
  if (display) refuse(display)
  const withoutSandbox = process.env['OPSMITH_NO_SANDBOX'] === '1'
  if (process.getuid?.() === 0 && !withoutSandbox) {
    refuse(
      'Chromium keeps its sandbox only for ordinary users: start Opsmith as one, or set OPSMITH_NO_SANDBOX=1\n' +
        'if this is a container that is a sandbox by itself.',
    )
  }
  await setUpOrExit({ window: true, tests: false, headers: false })
  const electron = resolveElectron()
  if (!electron) return refuse('There is no Electron, although set-up went through: npm run setup')
  const sandbox = withoutSandbox ? undefined : sandboxProblem(electron.executable)
  if (sandbox) refuse(sandbox)
  await becomeCommand(
    [
      electron.executable,
      ...(withoutSandbox ? ['--no-sandbox'] : []),
      root,
      ...(folder ? [folder] : []),
    ],
    { cwd: userFolder('start'), env: { ...process.env, ...environmentVariables() } },
  )
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
