import { useState, type ReactElement } from 'react'

import type {
  ConflictDecision,
  ExportForm,
  FileChange,
  FormDiff,
} from '../../../electron/contract/export'
import { Button } from '../../shell/primitives/Button'
import { DiffText } from '../../shell/primitives/DiffText'
import { Details, ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { Section } from '../../shell/primitives/Section'
import { changedByHand, decisionKey, isDifferent, undecided, useExport, type Review } from './store'
import { decide, leaveReview } from './run'

const changeMarks: Record<FileChange['change'], { icon: IconName; tone: string }> = {
  added: { icon: 'plus', tone: 'tone-ok' },
  changed: { icon: 'dot', tone: 'tone-warning' },
  removed: { icon: 'minus', tone: 'tone-error' },
  same: { icon: 'check', tone: 'muted' },
}

/** What would be written, file by file, with a decision for each that was changed by hand. */
export function ReviewView(): ReactElement | null {
  const review = useExport((state) => state.review)
  if (!review) return null
  const open = undecided(review)
  const byHand = review.diffs.flatMap((diff) =>
    changedByHand(diff).map((file) => [diff.form, file.path] as [ExportForm, string]),
  )
  return (
    <div data-testid="export-review">
      <div className="stale-bar export-review-bar" role="status">
        <Icon name={open > 0 ? 'warning' : 'note'} />
        <span className="grow" data-testid="export-review-text">
          {headText(review, open)}
        </span>
        {byHand.length > 1 && (
          <>
            <Button onClick={() => decide('keep', byHand)}>Keep all my files</Button>
            <Button onClick={() => decide('overwrite', byHand)}>Overwrite all</Button>
          </>
        )}
        <button
          type="button"
          className="link"
          onClick={leaveReview}
          data-testid="export-review-leave"
        >
          Back
        </button>
      </div>
      {review.diffs.map((diff) => (
        <FormChanges key={diff.form} diff={diff} review={review} />
      ))}
    </div>
  )
}

function headText(review: Review, open: number): string {
  if (open > 0) {
    return `${formatCount(open, 'file')} changed by hand since the last export: keep or overwrite?`
  }
  if (review.onlyShown) return 'An export would make these changes.'
  return 'This export would change files of the earlier export. Review the changes, then export.'
}

function FormChanges({ diff, review }: { diff: FormDiff; review: Review }): ReactElement {
  const different = diff.files.filter(isDifferent)
  const same = diff.files.length - different.length
  // Of a new export, the names are enough.
  const listed = diff.exists ? different : []
  return (
    <Section title={diff.form} note={diff.directory}>
      {diff.error && <ErrorView error={diff.error} testId={`export-diff-error-${diff.form}`} />}
      <ul data-testid={`export-changes-${diff.form}`}>
        {listed.map((file) => (
          <ChangedFile key={file.path} form={diff.form} file={file} review={review} />
        ))}
      </ul>
      {!diff.exists && different.length > 0 && (
        <Details
          label={`New: ${formatCount(different.length, 'file')}`}
          text={different.map((file) => file.path).join('\n')}
        />
      )}
      {!diff.error && diff.exists && (
        <p className="muted">
          {different.length === 0
            ? `${formatCount(same, 'file')} checked: nothing would change.`
            : `${formatCount(same, 'other file')} would not change.`}
        </p>
      )}
    </Section>
  )
}

type ChangedFileProps = { form: ExportForm; file: FileChange; review: Review }

function ChangedFile({ form, file, review }: ChangedFileProps): ReactElement {
  const [open, setOpen] = useState(file.byHand)
  const { icon, tone } = changeMarks[file.change]
  const hasDiff = file.diff !== ''
  const name = (
    <>
      <span className={tone}>
        <Icon name={icon} label={file.change} />
      </span>
      <span className="mono ellipsis">{file.path}</span>
    </>
  )
  return (
    <li data-testid="export-change" data-path={file.path} data-change={file.change}>
      <div className="export-change">
        {hasDiff ? (
          <button
            type="button"
            className="export-change-name"
            aria-expanded={open}
            title={file.path}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? 'down' : 'right'} />
            {name}
          </button>
        ) : (
          <span className="export-change-name" title={file.path}>
            <span className="export-gap" />
            {name}
          </span>
        )}
        <span className="muted">{wordsOf(file)}</span>
        {file.byHand && <Decision form={form} file={file} review={review} />}
      </div>
      {hasDiff && open && <DiffText diff={file.diff} label={`Changes in ${file.path}`} />}
    </li>
  )
}

function wordsOf({ change, byHand, diff }: FileChange): string {
  if (byHand) return change === 'added' ? 'deleted or created by hand' : 'changed by hand'
  return change === 'changed' && diff === '' ? 'changed, not a text file' : change
}

function Decision({ form, file, review }: ChangedFileProps): ReactElement {
  const decision = review.decisions[decisionKey(form, file.path)]
  const option = (value: ConflictDecision, word: string): ReactElement => (
    <Button
      pressed={decision === value}
      onClick={() => decide(value, [[form, file.path]])}
      testId={`export-${value}`}
    >
      {decision === value && <Icon name="check" />}
      {word}
    </Button>
  )
  return (
    <span className="export-decision" role="group" aria-label={`${file.path} was changed by hand`}>
      {option('keep', 'Keep my file')}
      {option('overwrite', 'Overwrite')}
    </span>
  )
}
