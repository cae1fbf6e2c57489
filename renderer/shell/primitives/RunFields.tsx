import { useEffect, useState, type ReactElement } from 'react'

import type { WorkersChoice } from '../../../electron/contract/run-calls'
import { useRuns, type Runs } from '../../store/runs'
import { CommitField, parseInteger } from './CommitField'

/** Not the name of a place. */
const typed = '…'

type Props = {
  of: Runs
  /** The beginning of ids, if a panel has these fields more than once. */
  at?: string
}

/** Where the work is done: in this window, or by workers of a run. */
export function RunFields({ of, at: id = of.id }: Props): ReactElement {
  const where = useRuns(of, (state) => state.where)
  const jobs = useRuns(of, (state) => state.jobs)
  const places = useRuns(of, (state) => state.places)
  const isStarting = useRuns(of, (state) => state.isStarting)
  const [isTyping, setTyping] = useState(false)
  useEffect(() => void of.loadPlaces(), [of])
  const isListed = where === '' || places.some(({ name }) => name === where)
  const isOther = isTyping || (places.length > 0 && !isListed)
  const choose = (value: string): void => {
    setTyping(value === typed)
    if (value !== typed) of.store.setState({ where: value })
  }
  return (
    <>
      <span
        className="case-option"
        title="Where Opsmith does this work. Every choice except “this machine” starts a run: worker processes share the work, and go on if you close the window."
      >
        <label htmlFor={`${id}-where`}>where</label>
        <select
          id={`${id}-where`}
          value={isOther ? typed : where}
          data-testid={`${id}-where`}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">this machine</option>
          {!isOther && !isListed && <option value={where}>{where}</option>}
          {places.map((place) => (
            <option key={place.name} value={place.name} disabled={place.missing !== ''}>
              {placeText(place)}
            </option>
          ))}
          <option value={typed}>other hosts …</option>
        </select>
      </span>
      {isOther && (
        <span
          className="case-option case-range"
          title="Hosts from ~/.ssh/config and targets from the settings file, separated by commas. Each must have access to the project’s folder."
        >
          <CommitField
            id={`${id}-hosts`}
            label="hosts"
            text={where}
            placeholder="ssh:node1, ssh:node2"
            parse={(text) => ({ value: text.trim() })}
            onCommit={(value) => of.store.setState({ where: value })}
          />
        </span>
      )}
      {(where !== '' || isOther) && (
        <span className="case-option" title="Workers at a time">
          <CommitField
            id={`${id}-jobs`}
            label="jobs"
            text={String(jobs)}
            parse={parseInteger(1, 1000)}
            onCommit={(value) => of.store.setState({ jobs: value })}
          />
        </span>
      )}
      {isStarting && (
        <span className="muted" role="status" data-testid={`${id}-run-starting`}>
          <span className="spinner" /> starting the run …
        </span>
      )}
    </>
  )
}

function placeText({ name, kind, missing }: WorkersChoice): string {
  const text = kind === 'local' ? 'this machine, as a run' : name
  return missing === '' ? text : `${text} (${missing})`
}
