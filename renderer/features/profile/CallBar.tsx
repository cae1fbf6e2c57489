import type { ReactElement } from 'react'

import { CallFields } from '../../shell/primitives/CallFields'
import { CommitField, parseInteger } from '../../shell/primitives/CommitField'
import { MainAction } from '../../shell/primitives/MainAction'
import { useJob } from '../../store/job'
import { useProfile } from './profile'
import { profileJob } from './profile-job'
import { chooseProfiled, editProfile, runProfile } from './profile-run'

/** What is profiled; its inputs are the project's, as the Run panel edits them. */
export function CallBar(): ReactElement {
  const draft = useProfile((state) => state.draft)
  return (
    <div className="case-form" role="group" aria-label="Call to profile">
      <div className="case-call">
        <CallFields
          id="profile"
          op={draft.op}
          argsText={draft.argsText}
          placeholder="no arguments"
          onChoose={chooseProfiled}
          onArguments={(argsText) => editProfile({ argsText })}
        />
        <ProfileButton />
      </div>
      <div className="case-options">
        <label className="check" title="Also profiles the backward of the sum of the outputs">
          <input
            type="checkbox"
            checked={draft.backward}
            data-testid="profile-backward"
            onChange={(event) => editProfile({ backward: event.target.checked })}
          />
          backward
        </label>
        <span className="profile-threads" title="Number of threads in libtorch's thread pool">
          <CommitField
            id="profile-threads"
            label="threads"
            text={String(draft.threads)}
            parse={parseInteger(1, 1024)}
            onCommit={(threads) => editProfile({ threads })}
          />
        </span>
      </div>
    </div>
  )
}

function ProfileButton(): ReactElement {
  const job = useJob(profileJob, (state) => state)
  const hasChosen = useProfile((state) => state.draft.op !== '')
  return (
    <MainAction
      text="Profile"
      title="Profiles this call"
      command="profile.run"
      disabled={!hasChosen}
      job={job}
      onStart={() => void runProfile()}
      onStop={() => void profileJob.stop()}
      testId="profile-run"
      stopTestId="profile-stop"
    />
  )
}
