import os from 'node:os'

import { ok } from '../../contract/outcome'
import { explainLog, machineFacts } from '../../engine/doctor/environment-failures'
import { keepLayout, readLayout } from '../../engine/project/layout-file'
import { newsOfUpdate } from '../../engine/project/release-notes'
import { versionAddress } from '../../engine/project/version-check'
import { checkVersion } from '../version-check'
import { residentBytes } from '../../engine/resident-memory'
import { changeSettings, readSettings } from '../../engine/project/settings-file'
import { mayUseTools } from './confirm-tools'
import { nothing } from './handle'
import type { Handlers } from './handle'

type GeneralCalls =
  | 'app.info'
  | 'app.memory'
  | 'app.news'
  | 'app.showReport'
  | 'app.flushed'
  | 'doctor.explainLog'
  | 'doctor.gpu'
  | 'doctor.report'
  | 'settings.get'
  | 'settings.set'
  | 'version.address'
  | 'layout.get'
  | 'layout.set'

export const generalCalls: Handlers<GeneralCalls> = {
  'app.info': (session) =>
    ok({
      version: session.desktop.version,
      electron: session.installation.runtime?.version ?? '',
      platform: `${os.platform()} ${os.arch()}`,
      startFolder: session.startFolder,
      startModel: session.startModel,
      tests: process.env['OPSMITH_TESTS'] === '1',
    }),
  'app.memory': async ({ workbench }) => {
    const [clangd = 0, ...compileServers] = await Promise.all(
      [workbench.clangd.state().pid, ...workbench.builds.compileServerPids()].map(residentBytes),
    )
    return ok({ compileServer: compileServers.reduce((sum, bytes) => sum + bytes, 0), clangd })
  },
  'app.news': async (session) => {
    if (session.hasNewsShown) return ok({ unread: [], unexpectedEnd: null, releaseNotes: '' })
    session.hasNewsShown = true
    const { desktop, installation, unexpectedEnd } = session
    return ok({
      unread: await session.unreadFiles(),
      unexpectedEnd,
      releaseNotes: await newsOfUpdate(installation, desktop.version),
    })
  },
  'app.showReport': ({ desktop, unexpectedEnd }) => {
    if (unexpectedEnd) desktop.showInFolder(unexpectedEnd.report)
    return nothing
  },
  'app.flushed': (session) => {
    session.noteFlushed()
    return nothing
  },
  'doctor.explainLog': (_session, { text }) => ok(explainLog(text, machineFacts())),
  'doctor.gpu': async (session, { job }) =>
    await session.jobs.run(job, (signal) =>
      session.workbench.gpuChecks.run({
        signal,
        onStart: (running) => {
          session.send('gpu.progressed', { job, running })
        },
        onCheck: (check) => {
          session.send('gpu.progressed', { job, check })
        },
      }),
    ),
  'doctor.report': async (session, { folder }) => {
    session.workbench.exports.forgetTools()
    // Of another folder the window could name any program as a compiler.
    return ok(await session.workbench.doctor.report(session.openProject(folder) ? folder : ''))
  },
  'settings.get': async (session) => ok(await readSettings(session.installation.configFolder)),
  'settings.set': async (session, change) => {
    if (!(await mayUseTools(session, change)))
      return ok(await readSettings(session.installation.configFolder))
    const settings = await changeSettings(session.installation.configFolder, change)
    await session.workbench.applySettings()
    if (change.checkVersion === true) void checkVersion(session)
    return ok(settings)
  },
  'version.address': async ({ installation }) => {
    const settings = await readSettings(installation.configFolder)
    return ok({ address: await versionAddress(installation, settings) })
  },
  'layout.get': async (session) => ok(await readLayout(session.installation.stateFolder)),
  'layout.set': async (session, { layout }) => {
    await keepLayout(session.installation.stateFolder, layout)
    return nothing
  },
}
