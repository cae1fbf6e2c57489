import { ok } from '../../contract/outcome'
import { callAgain } from '../../engine/host/call-on-library'
import { kernelDefinition } from '../../engine/language/program/kernel-definition'
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
  | 'program.check'
  | 'program.kernel'
  | 'assembly.list'
  | 'assembly.show'
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
  'operator.build': (session, { folder, job, timeTrace = false }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const settings = await readSettings(session.installation.cacheFolder)
        const log = new TextBatch((text) => {
          session.send('build.output', { job, text })
        })
        let started = false
        const result = await session.workbench.libraries.buildAndLoad(
          folder,
          {
            signal,
            timeTrace,
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
        const headers = result.ok ? (result.value.build.timeTrace?.headers ?? []) : []
        session.noteFiles(headers.map(({ name }) => ({ file: name })))
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
        return await session.workbench.runs.run(folder, request, {
          timeout: timeout === 0 ? settings.callTimeout : timeout,
          signal,
        })
      }),
    ),
  'program.functions': (session, { folder }) =>
    inOpen(session, folder, () => session.workbench.runs.programFunctions(folder)),
  'program.check': (session, { folder, text }) =>
    inOpen(session, folder, async () => {
      const checked = await session.workbench.programChecks.check(folder, text)
      return checked.ok ? ok(checked.value?.diagnostics ?? []) : checked
    }),
  'program.kernel': (session, { folder, ...place }) =>
    inOpen(session, folder, () => kernelDefinition(folder, place)),
  'assembly.list': (session, { folder, form }) =>
    inOpen(session, folder, () => session.workbench.assemblies.list(folder, form)),
  'assembly.show': (session, { folder, choice }) =>
    inOpen(session, folder, () => session.workbench.assemblies.show(folder, choice)),
  // The editor asks while one types: whatever runs is not to be ended by the limit of these.
  'registry.list': async ({ workbench: { hosts } }) => {
    await hosts.whenIdle()
    return await callAgain(hosts, 'registry.list', {}, { timeout: 0, phase: '' })
  },
  'registry.describe': async ({ workbench: { hosts } }, input) => {
    await hosts.whenIdle()
    return await callAgain(hosts, 'registry.describe', input, { timeout: 0, phase: '' })
  },
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
