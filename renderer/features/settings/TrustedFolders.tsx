import { useEffect, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { forgetDecision, loadDecisions, useTrust } from '../../store/trust'

/** What was answered about folders, each to be taken back. */
export function TrustedFolders(): ReactElement {
  const decisions = useTrust((state) => state.decisions)
  useEffect(() => void loadDecisions(), [])
  if (decisions === null || decisions.length === 0)
    return (
      <span className="muted">
        none; Opsmith also trusts its samples, and adds new projects and copies of samples to this
        list
      </span>
    )
  return (
    <ul className="settings-folders" data-testid="settings-trust">
      {decisions.map(({ folder, trust }) => (
        <li key={folder} className="form-row">
          <span className="mono ellipsis grow" title={folder}>
            {folder}
          </span>
          <span className="muted">{trust}</span>
          <Button onClick={() => void forgetDecision(folder)} testId={`settings-forget-${folder}`}>
            {trust === 'trusted' ? 'Revoke' : 'Ask again'}
          </Button>
        </li>
      ))}
    </ul>
  )
}
