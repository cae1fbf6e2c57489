import { ok } from '../../contract/outcome'
import { readSettings } from '../../engine/project/settings-file'
import { TextBatch } from '../text-batch'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'

type OperatorCalls =
  | 'operator.build'
  | 'operator.sanitize'
  | 'operator.run'
  | 'program.functions'
  | 'registry.list'
  | 'registry.describe'
  | 'tensor.page'
  | 'tensor.histogram'
  | 'tensor.release'
  | 'job.cancel'
  | 'host.state'
  | 'host.restart'

/** Seconds for questions that run no user code. */
const shortTimeout = 30

export const operatorCalls: Handlers<OperatorCalls> = {
  'operator.build': (session, { folder, job }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const settings = await readSettings(session.installation.cacheFolder)
        const log = new TextBatch((text) => {
          session.send('build.output', { job, text })
        })
        let started = false
        const result = await session.workbench.buildAndLoad(
          folder,
          {
            signal,
            onOutput: (text) => {
              log.add(text)
            },
            onProgress: (done, steps) => {
              if (!started) session.send('build.started', { folder, job, steps })
              started = true
              session.send('build.progressed', { job, done, steps })
            },
          },
          settings.callTimeout,
        )
        log.flush()
        return result
      }),
    ),
  'operator.sanitize': (session, { folder, job }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const settings = await readSettings(session.installation.cacheFolder)
        return await session.workbench.sanitizedRuns.run(folder, {
          signal,
          timeout: settings.callTimeout,
        })
      }),
    ),
  'operator.run': (session, { folder, job, request, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const settings = await readSettings(session.installation.cacheFolder)
        return await session.workbench.run(folder, request, {
          timeout: timeout === 0 ? settings.callTimeout : timeout,
          signal,
        })
      }),
    ),
  'program.functions': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.programFunctions(folder)),
  'registry.list': (session) =>
    session.workbench.hosts.call('registry.list', {}, { timeout: shortTimeout, phase: '' }),
  'registry.describe': (session, input) =>
    session.workbench.hosts.call('registry.describe', input, { timeout: shortTimeout, phase: '' }),
  'tensor.page': (session, input) =>
    session.workbench.hosts.call('tensor.page', input, { timeout: shortTimeout, phase: '' }),
  'tensor.histogram': (session, input) =>
    session.workbench.hosts.call('tensor.histogram', input, { timeout: shortTimeout, phase: '' }),
  'tensor.release': (session, input) =>
    session.workbench.hosts.call('tensor.release', input, { timeout: shortTimeout, phase: '' }),
  'job.cancel': (session, { job }) => ok({ cancelled: session.cancel(job) }),
  'host.state': (session) => ok(session.workbench.hosts.state()),
  'host.restart': async (session) => {
    const restarted = await session.workbench.hosts.restart()
    return restarted.ok ? nothing : restarted
  },
}
