import { ok } from '../../../electron/contract/outcome'
import type { Argument, InputSpec } from '../../../electron/contract/manifest'
import type { ProfileReport } from '../../../electron/contract/profile'
import { call } from '../../bridge/bridge'
import { createJob } from '../../store/job'
import { profileKey, profileStore, type ProfileDraft } from './profile'

/** What was profiled, and what of. */
export type Profiled = {
  report: ProfileReport
  /** The fields that it was asked with: an equal key means that it answers what they hold now. */
  asked: string
  stamp: string
}

/** In `profile` of a report of an earlier session: the engine that knew its trace is gone. */
export const withoutTrace = -1

type Input = {
  draft: ProfileDraft
  args: Argument[]
  inputs: Record<string, InputSpec>
}

/** Profiles one call. The newest wish wins. */
export const profileJob = createJob<Input, Profiled>({
  kind: 'profile',
  latest: 'wins',
  // A report stays in view, marked as older, when a newer one fails.
  keepsValue: true,
  run: async ({ draft, args, inputs }, { folder, job, stamp }) => {
    const asked = profileKey(draft)
    const { op, backward, threads } = draft
    const request = { op, args, inputs, backward, threads }
    const result = await call('profile.run', { folder, job, request, timeout: 0 })
    return result.ok ? ok({ report: result.value, asked, stamp }) : result
  },
  isWanted: ({ draft }) => profileStore.getState().draft.op === draft.op,
})
