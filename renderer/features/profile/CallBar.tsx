import type { ReactElement } from 'react'

import { ActionButton } from '../../shell/primitives/ActionButton'
import { Button } from '../../shell/primitives/Button'
import { CallFields } from '../../shell/primitives/CallFields'
import { CommitField } from '../../shell/primitives/CommitField'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { useJob } from '../../store/job'
import { useProfile } from './profile'
import { profileJob } from './profile-job'
import { chooseProfiled, editProfile, runProfile } from './profile-run'

/** What is profiled; its inputs are the project's, as the Run panel edits them. */
export function CallBar(): ReactElement {
  const draft = useProfile((state) => state.draft)
  return (
    <div className="case-form" role="group" aria-label="What is profiled">
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
        <span className="profile-threads" title="Threads of libtorch's pool">
          <CommitField
            id="profile-threads"
            label="threads"
            text={String(draft.threads)}
            parse={parseThreads}
            onCommit={(threads) => editProfile({ threads })}
          />
        </span>
      </div>
    </div>
  )
}

/** Starts, or says how long it has been running. */
function ProfileButton(): ReactElement {
  const isWorking = useJob(profileJob, (state) => state.running !== null)
  const startedAt = useJob(profileJob, (state) => state.startedAt)
  const hasChosen = useProfile((state) => state.draft.op !== '')
  if (isWorking) {
    return (
      <span className="profile-progress" role="status">
        <span className="spinner" /> <Elapsed since={startedAt} />
        <Button icon="stop" onClick={() => void profileJob.stop()} testId="profile-stop">
          Stop
        </Button>
      </span>
    )
  }
  return (
    <ActionButton
      text="Profile"
      title="Profiles this call"
      command="profile.run"
      disabled={!hasChosen}
      onClick={() => void runProfile()}
      testId="profile-run"
    />
  )
}

function parseThreads(text: string): { value: number } | { problem: string } {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= 1024
    ? { value }
    : { problem: '1 to 1024' }
}
