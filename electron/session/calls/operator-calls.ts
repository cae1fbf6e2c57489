import type { BuildAndLoad } from '../../contract/app-calls'
import type { Diagnostic } from '../../contract/diagnostics'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { BuildOptions } from '../../engine/compile/build'
import { callAgain } from '../../engine/host/call-on-library'
import { kernelDefinition } from '../../engine/language/program/kernel-definition'
import { LatestProgress } from '../latest-progress'
import { TextBatch } from '../text-batch'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'

type OperatorCalls =
  | 'operator.build'
  | 'operator.sanitize'
  | 'operator.run'
  | 'program.functions'
  | 'program.check'
  | 'program.kernel'
  | 'operator.gradientFunctions'
  | 'assembly.list'
  | 'assembly.show'
  | 'assembly.compare'
  | 'assembly.remarks'
  | 'assembly.estimate'
  | 'registry.list'
  | 'registry.describe'
  | 'tensor.page'
  | 'tensor.histogram'
  | 'tensor.release'
  | 'job.cancel'
  | 'job.left'
  | 'job.note'
  | 'host.state'
  | 'host.restart'

/** Headers that a time trace names, as files. */
function headersOf(result: Result<BuildAndLoad>): { file: string }[] {
  const headers = result.ok ? (result.value.build.timeTrace?.headers ?? []) : []
  return headers.map(({ name }) => ({ file: name }))
}

/** Seconds for questions that run no user code. */
const shortTimeout = 30

export const operatorCalls: Handlers<OperatorCalls> = {
  'operator.build': projectJob(
    async ({ session, workbench, signal, timeout }, { folder, job, timeTrace = false }) => {
      const log = new TextBatch((text) => {
        session.send('build.output', { job, text })
      })
      const progress = { done: 0, steps: 0, running: [] as string[], errors: [] as Diagnostic[] }
      const latest = new LatestProgress(() => {
        session.send('build.progressed', { job, ...progress })
      })
      const options: BuildOptions = {
        signal,
        timeTrace,
        onOutput: (text) => {
          log.add(text)
        },
        onProgress: (done, steps) => {
          Object.assign(progress, { done, steps })
          latest.changed()
        },
        onStepStarted: (_kind, label) => {
          progress.running = [...progress.running, label]
          latest.changed()
        },
        onStepEnded: ({ label, ok: good }, diagnostics) => {
          progress.running = progress.running.filter((one) => one !== label)
          const failed = good ? [] : diagnostics.filter(({ severity }) => severity === 'error')
          progress.errors = [...progress.errors, ...failed]
          latest.changed()
        },
      }
      const result = await workbench.libraries.buildAndLoad(folder, options, timeout)
      log.flush()
      latest.end()
      // What older kernels did counts no more; after a build that fails they are still the ones that are called.
      if (result.ok && result.value.load) workbench.forgetKernelReports()
      return result
    },
    { filesOf: (result) => [result, ...headersOf(result)] },
  ),
  'operator.sanitize': projectJob(({ workbench, signal, timeout }, { folder }) =>
    workbench.sanitizedRuns.run(folder, { signal, timeout }),
  ),
  'operator.run': projectJob(({ workbench, signal, timeout }, { folder, request }) =>
    workbench.runs.run(folder, request, { timeout, signal }),
  ),
  'program.functions': projectCall(({ workbench }, { folder }) =>
    workbench.runs.programFunctions(folder),
  ),
  'program.check': projectCall(async ({ workbench }, { folder, text }) => {
    const checked = await workbench.programChecks.check(folder, text)
    return checked.ok ? ok(checked.value?.diagnostics ?? []) : checked
  }),
  'program.kernel': projectCall((_call, { folder, ...place }) => kernelDefinition(folder, place)),
  'operator.gradientFunctions': projectCall(({ workbench }, { folder, operators }) =>
    workbench.lints.gradientFunctions(folder, operators),
  ),
  'assembly.list': projectCall(({ workbench }, { folder, form }) =>
    workbench.assemblies.list(folder, form),
  ),
  'assembly.show': projectCall(({ workbench }, { folder, choice }) =>
    workbench.assemblies.show(folder, choice),
  ),
  'assembly.compare': projectJob(({ workbench, signal }, { folder, choice, base, other }) =>
    workbench.assemblies.compare(folder, choice, { base, other }, signal),
  ),
  'assembly.remarks': projectJob(({ workbench, signal }, { folder, file }) =>
    workbench.assemblies.remarks(folder, file, signal),
  ),
  'assembly.estimate': projectCall(({ workbench }, { folder, choice, loop }) =>
    workbench.assemblies.estimate(folder, choice, loop),
  ),
  // The editor asks while one types: whatever runs is not to be ended by the limit of these.
  'registry.list': async ({ workbench: { hosts } }) => {
    await hosts.whenIdle()
    return await callAgain(hosts, 'registry.list', {}, { timeout: 0, phase: '' })
  },
  'registry.describe': async ({ project, workbench: { hosts } }, input) => {
    await hosts.whenIdle()
    const described = await callAgain(hosts, 'registry.describe', input, { timeout: 0, phase: '' })
    project?.noteFiles(described)
    return described
  },
  'tensor.page': (session, input) =>
    session.workbench.hosts.call('tensor.page', input, { timeout: shortTimeout, phase: '' }),
  'tensor.histogram': (session, input) =>
    session.workbench.hosts.call('tensor.histogram', input, { timeout: shortTimeout, phase: '' }),
  'tensor.release': (session, input) =>
    session.workbench.hosts.call('tensor.release', input, { timeout: shortTimeout, phase: '' }),
  'job.cancel': ({ project, jobs, setupJobs }, { job, byUser = false }) =>
    ok({
      cancelled:
        project?.cancel(job, byUser) === true ||
        jobs.cancel(job, byUser) ||
        setupJobs.cancel(job, byUser),
    }),
  'job.left': ({ keptJobs }) => ok(keptJobs?.leftJobs() ?? []),
  'job.note': ({ keptJobs }, note) => {
    keptJobs?.note(note)
    return nothing
  },
  'host.state': (session) => ok(session.workbench.hosts.state()),
  'host.restart': async (session) => {
    const restarted = await session.workbench.hosts.restart()
    return restarted.ok ? nothing : restarted
  },
}
