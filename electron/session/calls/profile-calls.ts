import { ok } from '../../contract/outcome'
import type { Handlers } from './handle'
import { projectCall, projectJob } from './project-job'
import { targetOf } from './saving'

type ProfileCalls = 'profile.run' | 'profile.save'

const traces = { name: 'Chrome trace', extensions: ['json'] }

export const profileCalls: Handlers<ProfileCalls> = {
  'profile.run': projectJob(
    ({ workbench, signal, timeout }, { folder, request }) =>
      workbench.profiles.run(folder, request, { timeout, signal }),
    // Its other parts are long columns of numbers.
    { filesOf: (report) => (report.ok ? report.value.trace.frames : report) },
  ),
  'profile.save': projectCall(async ({ session, workbench }, { folder, profile, path: named }) => {
    const suggestedName = workbench.profiles.traceName(profile)
    const target = await targetOf(session, { folder, named, suggestedName, filters: [traces] })
    if (!target.ok) return target
    if (target.value === null) return ok(null)
    return await workbench.profiles.save(profile, target.value)
  }),
}
