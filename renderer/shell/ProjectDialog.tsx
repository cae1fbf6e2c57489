import { useEffect, useId, useRef, type ReactElement, type ReactNode } from 'react'

type Props = {
  title: string
  isBusy: boolean
  testId: string
  onCancel: () => void
  children: ReactNode
}

/** A modal dialog about a folder that becomes a project. Effects of its parent run when it is open. */
export function ProjectDialog({ title, isBusy, testId, onCancel, children }: Props): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="project-dialog"
      aria-labelledby={titleId}
      aria-busy={isBusy}
      data-testid={testId}
      onCancel={onCancel}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}

type ActionsProps = {
  /** On the button that sends the form. */
  submit: string
  isBusy: boolean
  testId: string
  /** The buttons before it. */
  children: ReactNode
}

/** The buttons below the form of a dialog. */
export function DialogActions({ submit, isBusy, testId, children }: ActionsProps): ReactElement {
  return (
    <div className="actions">
      {children}
      <button type="submit" className="button primary" disabled={isBusy} data-testid={testId}>
        {submit}
      </button>
    </div>
  )
}
