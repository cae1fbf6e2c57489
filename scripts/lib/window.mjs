// What opening the window needs, for `npm start` and `npm run dev`.
import { resolveElectron } from '../setup/electron-runtime.mjs'
import { displayProblem, sandboxProblem } from './display.mjs'
import { refuse } from './refuse.mjs'

const withoutSandbox = () => process.env['OPSMITH_NO_SANDBOX'] === '1'

/** Ends the process with a message when no window can be opened here: before minutes of set-up, not after them. */
export async function refuseWithoutDisplay() {
  const problem = await displayProblem()
  if (problem) refuse(problem)
  if (process.getuid?.() === 0 && !withoutSandbox()) {
    refuse(
      'The sandbox of Chromium does not work for root: start Opsmith as an ordinary user. In a container, you can instead\n' +
        'set OPSMITH_NO_SANDBOX=1, because the container is a sandbox.',
    )
  }
}

/** The command that starts Electron, after set-up; the app and its arguments follow it. @returns {string[]} */
export function electronCommand() {
  const electron = resolveElectron()
  if (!electron) return refuse('Electron was not found. Run npm run setup again.')
  if (withoutSandbox()) return [electron.executable, '--no-sandbox']
  const problem = sandboxProblem(electron.executable)
  if (problem) refuse(problem)
  return [electron.executable]
}
