import { useState, type ReactElement } from 'react'

import type { FormChoice } from '../../../electron/contract/export'
import { Button, IconButton } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { RunList } from '../../shell/primitives/RunList'
import { Section } from '../../shell/primitives/Section'
import { formState, useExport } from './store'
import { chooseForm, chosenForms } from './run'
import { choicesJob, useExported, useIsExporting } from './jobs'
import { useJob } from '../../store/job'
import { useProject } from '../../store/project'
import { stateMarks } from './form-texts'
import { exportRuns } from './runs'

/** What the project can be exported as, and what is chosen of it. */
export function FormList(): ReactElement {
  const { value: choices, error } = useJob(choicesJob, (state) => state)
  const chosen = useChosen()
  return (
    <div className="split-list scroll" data-testid="export-forms">
      <Section title="Forms" note={chosen === 0 ? 'none chosen' : `${chosen} chosen`}>
        {error && (
          <div className="side-pad">
            <ErrorView error={error} testId="export-forms-error">
              <Button icon="refresh" onClick={() => void choicesJob.run()}>
                Check again
              </Button>
            </ErrorView>
          </div>
        )}
        {!choices && !error && (
          <p className="muted side-pad" role="status">
            <span className="spinner" /> checking the sources and this machine …
          </p>
        )}
        <ul>
          {(choices ?? []).map((choice) => (
            <FormRow key={choice.form} choice={choice} />
          ))}
        </ul>
      </Section>
      <RunList of={exportRuns} />
    </div>
  )
}

/** How many; what opsmith.json says counts where nothing was chosen. */
function useChosen(): number {
  useProject((state) => state.project?.manifest?.exports)
  useJob(choicesJob, (state) => state.value)
  return useExport(() => chosenForms().length)
}

function FormRow({ choice }: { choice: FormChoice }): ReactElement {
  const { form, purpose, possible, reason } = choice
  const [open, setOpen] = useState(false)
  useProject((state) => state.project?.manifest?.exports)
  const isChosen = useExport(() => chosenForms().includes(form))
  const isBusy = useIsExporting()
  return (
    <li data-testid={`export-form-${form}`} data-possible={possible}>
      <div className={isChosen ? 'entry-row selected' : 'entry-row'}>
        <label className="export-choice" title={possible ? purpose : reason}>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={!possible || isBusy}
            data-testid={`export-choose-${form}`}
            onChange={(event) => chooseForm(form, event.target.checked)}
          />
          <span className={possible ? 'mono export-name' : 'mono export-name muted'}>{form}</span>
          <span className="muted ellipsis">{possible ? purpose : reason}</span>
        </label>
        <Mark choice={choice} />
        <IconButton
          icon={open ? 'down' : 'right'}
          label={open ? `Less about ${form}` : `More about ${form}`}
          pressed={open}
          onClick={() => setOpen(!open)}
          testId={`export-about-${form}`}
        />
      </div>
      {open && <About choice={choice} />}
    </li>
  )
}

/** What came of it last; else what stands in its way. */
function Mark({ choice }: { choice: FormChoice }): ReactElement | null {
  const state = useExported(({ forms }, isRunning) => {
    const progress = forms.find((one) => one.form === choice.form)
    return progress ? formState(progress, isRunning) : null
  })
  if (state === 'running') return <span className="spinner" role="img" aria-label="running" />
  if (state !== null && state !== 'waiting') {
    const { icon, tone, word } = stateMarks[state]
    return (
      <span className={tone} title={word}>
        <Icon name={icon} label={word} />
      </span>
    )
  }
  if (!choice.possible) return <span className="badge">not possible</span>
  if (choice.untried.length === 0) return null
  return (
    <span className="tone-warning" title={choice.untried.join('\n')}>
      <Icon name="warning" label="only a part of the proof can run on this machine" />
    </span>
  )
}

function About({ choice }: { choice: FormChoice }): ReactElement {
  const { form, purpose, possible, reason, hint, obstacles, untried } = choice
  return (
    <div className="export-about selectable" data-testid={`export-about-text-${form}`}>
      <p>{purpose}.</p>
      {!possible && <p className="tone-warning">Not possible: {reason}</p>}
      {hint !== '' && <p>{hint}</p>}
      {obstacles.length > 0 && (
        <>
          <p className="muted">{formatCount(obstacles.length, 'place')} in the sources:</p>
          <ul>
            {obstacles.map((one, index) => (
              <li key={index} className="export-obstacle">
                <FileLink file={one.file} line={one.line} /> {one.message}
              </li>
            ))}
          </ul>
        </>
      )}
      {possible && untried.length === 0 && (
        <p className="muted">All proof steps can run on this machine.</p>
      )}
      {possible && untried.length > 0 && (
        <>
          <p>These proof steps cannot run on this machine:</p>
          <ul>
            {untried.map((why) => (
              <li key={why} className="export-obstacle tone-warning">
                {why}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
