import type { AppCallName } from '../../contract/app-calls'
import { generalCalls } from './app-calls'
import { exportCalls } from './export-calls'
import { fileCalls } from './file-calls'
import { gitCalls } from './git-calls'
import { gradcheckCalls } from './gradcheck-calls'
import { graphCalls } from './graph-calls'
import { importCalls } from './import-calls'
import { kernelCalls } from './kernel-calls'
import { languageCalls } from './language-calls'
import { lintCalls } from './lint-calls'
import { operatorCalls } from './operator-calls'
import { operatorCheckCalls } from './operator-check-calls'
import { profileCalls } from './profile-calls'
import { projectCalls } from './project-calls'
import { pytestCalls } from './pytest-calls'
import { remoteCalls } from './remote-calls'
import { runCalls } from './run-calls'
import { searchCalls } from './search-calls'
import { setupCalls } from './setup-calls'
import { stepCalls } from './step-calls'
import { terminalCalls } from './terminal-calls'
import { timingCalls } from './timing-calls'
import { trustCalls } from './trust-calls'
import type { Handlers } from './handle'

/** Every call of the window's, with what main does for it. */
export const allCalls: Handlers<AppCallName> = {
  ...generalCalls,
  ...projectCalls,
  ...importCalls,
  ...fileCalls,
  ...gitCalls,
  ...searchCalls,
  ...remoteCalls,
  ...setupCalls,
  ...terminalCalls,
  ...trustCalls,
  ...operatorCalls,
  ...graphCalls,
  ...gradcheckCalls,
  ...operatorCheckCalls,
  ...profileCalls,
  ...pytestCalls,
  ...kernelCalls,
  ...stepCalls,
  ...timingCalls,
  ...runCalls,
  ...exportCalls,
  ...lintCalls,
  ...languageCalls,
}
