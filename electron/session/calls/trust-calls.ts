import { ok } from '../../contract/outcome'
import { describeProject } from '../../engine/project/describe-project'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type TrustCalls = 'trust.answer' | 'trust.list' | 'trust.forget'

export const trustCalls: Handlers<TrustCalls> = {
  'trust.answer': projectCall(async ({ session, project }, { folder, trusted, parent }) => {
    await session.decideTrust(project, trusted, parent)
    const described = await describeProject(folder)
    return described.ok ? ok({ ...described.value, trust: project.trust }) : described
  }),
  'trust.list': async (session) => ok(await session.trust.list()),
  'trust.forget': async (session, { folder }) => {
    await session.forgetTrust(folder)
    return ok(await session.trust.list())
  },
}
