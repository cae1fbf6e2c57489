import { ok } from '../../contract/outcome'
import type { Handlers } from './handle'
import { inOpen } from './project-calls'
import { targetOf, timeoutOf } from './saving'

type ProfileCalls = 'profile.run' | 'profile.save'

const traces = { name: 'Chrome trace', extensions: ['json'] }

export const profileCalls: Handlers<ProfileCalls> = {
  'profile.run': (session, { folder, job, request, timeout }) =>
    inOpen(session, folder, () =>
      session.job(job, async (signal) => {
        const report = await session.workbench.profiles.run(folder, request, {
          timeout: await timeoutOf(session, timeout),
          signal,
        })
        // A stack of the program, or of a crash, names files, which the window may then open.
        if (report.ok) session.noteFiles(report.value.trace.frames)
        else session.noteFiles(report)
        return report
      }),
    ),
  'profile.save': (session, { folder, profile, path: named }) =>
    inOpen(session, folder, async () => {
      const suggested = session.workbench.profiles.traceName(profile)
      const target = await targetOf(session, folder, named, suggested, [traces])
      if (!target.ok) return target
      if (target.value === null) return ok(null)
      return await session.workbench.profiles.save(profile, target.value)
    }),
}
