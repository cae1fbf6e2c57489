import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { Elapsed } from '../../shell/primitives/Elapsed'
import { OperatorField } from '../../shell/primitives/OperatorField'
import { shortcutOf } from '../../store/commands'
import { useProfile } from '../../store/profile'
import { chooseProfiled, editProfile, runProfile, stopProfile } from '../../store/profile-run'

/** What is profiled; its inputs are the project's, as the Run panel edits them. */
export function CallFields(): ReactElement {
  const draft = useProfile((state) => state.draft)
  return (
    <div className="pf-fields" role="group" aria-label="What is profiled">
      <OperatorField id="profile-op" key={draft.op} op={draft.op} onChoose={chooseProfiled} />
      <span className="pf-args">
        <CommitField
          id="profile-args"
          label="on"
          text={draft.argsText}
          placeholder="no arguments"
          parse={(text) => ({ value: text.trim() })}
          onCommit={(argsText) => editProfile({ argsText })}
        />
      </span>
      <label className="check" title="Also the backward of the sum of its outputs">
        <input
          type="checkbox"
          checked={draft.backward}
          data-testid="profile-backward"
          onChange={(event) => editProfile({ backward: event.target.checked })}
        />
        backward
      </label>
      <span className="pf-threads" title="Of libtorch's pool">
        <CommitField
          id="profile-threads"
          label="threads"
          text={String(draft.threads)}
          parse={parseThreads}
          onCommit={(threads) => editProfile({ threads })}
        />
      </span>
      <ProfileButton />
    </div>
  )
}

/** Starts, or says how long it has been running. */
function ProfileButton(): ReactElement {
  const isWorking = useProfile((state) => state.job !== null)
  const startedAt = useProfile((state) => state.startedAt)
  const hasChosen = useProfile((state) => state.draft.op !== '')
  if (isWorking) {
    return (
      <span className="pf-progress" role="status">
        <span className="spinner" /> <Elapsed since={startedAt} />
        <Button icon="stop" onClick={() => void stopProfile()} testId="profile-stop">
          Stop
        </Button>
      </span>
    )
  }
  return (
    <Button
      primary
      icon="play"
      disabled={!hasChosen}
      onClick={() => void runProfile()}
      title={`Profiles this call (${shortcutOf('profile.run')})`}
      testId="profile-run"
    >
      Profile
    </Button>
  )
}

function parseThreads(text: string): { value: number } | { problem: string } {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= 1024
    ? { value }
    : { problem: '1 to 1024' }
}
