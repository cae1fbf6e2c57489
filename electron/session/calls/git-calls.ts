import type { Handlers } from './handle'
import { projectCall } from './project-job'

type GitCalls = 'git.status' | 'git.head' | 'git.blame'

export const gitCalls: Handlers<GitCalls> = {
  'git.status': projectCall(({ workbench }, { folder }) => workbench.git.status(folder)),
  'git.head': projectCall(({ workbench }, { folder, path }) => workbench.git.head(folder, path)),
  'git.blame': projectCall(({ workbench }, { folder, path, text }) =>
    workbench.git.blame(folder, path, text),
  ),
}
