import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import { isClone } from '../../engine/installation'
import { log } from '../../engine/log-file'
import { changeSettings } from '../../engine/project/settings-file'
import { libtorchIn } from '../../engine/setup/plan'
import { TextBatch } from '../text-batch'
import { mayUseTools } from './confirm-tools'
import type { Handlers } from './handle'

type SetupCalls = 'setup.plan' | 'setup.chooseFolder' | 'setup.run'

export const setupCalls: Handlers<SetupCalls> = {
  'setup.plan': async ({ workbench }) => ok(await workbench.setup.plan()),
  'setup.chooseFolder': async (session) => {
    const chosen = await session.desktop.askToOpen({
      title: 'The folder of libtorch, or of a Python environment that has torch',
      properties: ['openDirectory'],
    })
    if (chosen === null) return ok(null)
    const folder = libtorchIn(chosen)
    if (folder === undefined) {
      return err('toolchain.missing', `${chosen} has no libtorch.`, {
        hint: 'Choose a folder with include/ and lib/libtorch_cpu.so, or a Python environment with torch.',
      })
    }
    session.chosenLibtorchs.add(folder)
    return ok({ folder })
  },
  'setup.run': async (session, { job, libtorch, installs }) => {
    const { workbench, installation } = session
    const isKnown = libtorch === '' || session.chosenLibtorchs.has(libtorch)
    if (!isKnown && !(await mayUseTools(session, { libtorch })))
      return err('cancelled', 'Set-up did not start.')
    if (isClone(installation.root) && libtorch === '') {
      return err(
        'request.invalid',
        'This Opsmith runs from a clone of its repository. This panel sets up a clone only for a libtorch that you choose.',
        {
          hint: 'Choose a libtorch in this panel, or run `npm run setup`.',
        },
      )
    }
    const say = (started: string): void => {
      log(installation.stateFolder, `set-up: ${started}`)
      session.send('setup.progressed', { job, started })
      session.send('background.progressed', { title: 'Set-up', done: 0, detail: started })
    }
    const output = new TextBatch((text) => {
      session.send('setup.progressed', { job, text })
    })
    const result = await session.setupJobs.run(job, (signal) =>
      workbench.setup.run({
        libtorch: libtorch === '' ? '' : path.resolve(libtorch),
        cuda: installs === 'cuda',
        mustInstall: installs !== '',
        mayInstall: () => Promise.resolve(installs !== ''),
        ask: () => Promise.resolve(undefined),
        signal,
        onStart: say,
        onStep: (step) => {
          session.send('setup.progressed', { job, step })
        },
        onRemark: (text) => {
          output.add(`${text}\n`)
        },
        onOutput: (text) => {
          output.add(text)
        },
      }),
    )
    output.flush()
    session.send('background.progressed', { title: 'Set-up', done: 1, detail: '' })
    if (!result.ok) {
      log(installation.stateFolder, `set-up ended: ${result.error.message}`)
      return result
    }
    // What was installed is what the user asked for, whatever else this machine has.
    const chosen = installs === '' ? libtorch : result.value.libtorch
    if (chosen !== '')
      await session.keepOrSay(changeSettings(installation.configFolder, { libtorch: chosen }))
    workbench.hosts.useAddon(result.value.addon)
    await workbench.applySettings()
    return result
  },
}
