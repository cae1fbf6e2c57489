import { useEffect, useId, useRef, useState, type ReactElement, type RefObject } from 'react'

import { machineOf } from '../../electron/contract/project-place'
import { useProject } from '../store/project'
import { useTarget } from '../store/remote'
import { answerTrust, askForTrust, stopAsking, useRestricted, useTrust } from '../store/trust'
import { Button } from './primitives/Button'
import { Icon } from './primitives/Icon'

/** Above the panels for as long as nothing of the folder is run. */
export function TrustBanner(): ReactElement | null {
  const restricted = useRestricted()
  if (!restricted) return null
  return (
    <div className="trust-banner" role="status" data-testid="trust-banner">
      <Icon name="shield" />
      <span className="grow">
        Restricted mode is for safe code browsing: nothing in this folder is built or run.
      </span>
      <Button onClick={askForTrust} testId="trust-manage">
        Trust this folder …
      </Button>
    </div>
  )
}

/** The question about a folder that is opened for the first time. */
export function TrustDialog(): ReactElement | null {
  const isAsking = useTrust((state) => state.isAsking)
  const folder = useProject((state) => state.project?.folder ?? '')
  if (!isAsking || folder === '') return null
  return <Question key={folder} folder={folder} />
}

function Question({ folder }: { folder: string }): ReactElement {
  const [parent, setParent] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const safe = useRef<HTMLButtonElement>(null)
  const title = useId()
  useEffect(() => {
    dialog.current?.showModal()
    // The safe answer has the keyboard first.
    safe.current?.focus()
  }, [])
  const target = useTarget()
  const above = folder.slice(0, folder.lastIndexOf('/'))
  const parentName = above.slice(above.lastIndexOf('/') + 1)
  return (
    <dialog
      ref={dialog}
      className="trust-dialog"
      aria-labelledby={title}
      data-testid="trust-dialog"
      onCancel={stopAsking}
    >
      <h2 id={title}>
        <Icon name="shield" />
        Do you trust the authors of the files in this folder?
      </h2>
      <p>Opsmith provides features that may automatically execute files in this folder.</p>
      <p>
        If you don’t trust the authors of these files, we recommend that you continue in restricted
        mode, because the files may be malicious. In restricted mode, you can read, edit and search
        the files.
      </p>
      <p className="trust-folder mono selectable" data-testid="trust-folder">
        {target !== '' && `${machineOf(target)}: `}
        {folder}
      </p>
      {parentName !== '' && (
        <label className="check">
          <input
            type="checkbox"
            checked={parent}
            data-testid="trust-parent"
            onChange={(event) => setParent(event.target.checked)}
          />
          Trust the authors of all files in the parent folder ‘{parentName}’
        </label>
      )}
      <div className="trust-answers">
        <Answer
          text="Yes, I trust the authors"
          effect="Trust folder and enable all features"
          testId="trust-yes"
          onClick={() => void answerTrust(true, parent)}
        />
        <Answer
          text="No, I don’t trust the authors"
          effect="Browse folder in restricted mode"
          testId="trust-no"
          element={safe}
          onClick={() => void answerTrust(false, false)}
        />
      </div>
    </dialog>
  )
}

type AnswerProps = {
  text: string
  effect: string
  testId: string
  element?: RefObject<HTMLButtonElement | null>
  onClick: () => void
}

function Answer({ text, effect, testId, element, onClick }: AnswerProps): ReactElement {
  return (
    <button
      ref={element}
      type="button"
      className="trust-answer"
      data-testid={testId}
      onClick={onClick}
    >
      <strong>{text}</strong>
      <span className="muted">{effect}</span>
    </button>
  )
}
