import { useEffect, useState, type ReactElement } from 'react'

import type { WorkersChoice } from '../../../electron/contract/run-calls'
import { CommitField } from '../../shell/primitives/CommitField'
import { loadPlaces } from './spread'
import { timingsStore, useTimings } from './store'

/** Not the name of a place. */
const typed = '…'

/** Where the points of a sweep are measured: in this window, or by workers of a run. */
export function SpreadFields(): ReactElement {
  const where = useTimings((state) => state.where)
  const jobs = useTimings((state) => state.jobs)
  const places = useTimings((state) => state.places)
  const [isTyping, setTyping] = useState(false)
  useEffect(() => void loadPlaces(), [])
  const isListed = where === '' || places.some(({ name }) => name === where)
  const isOther = isTyping || (places.length > 0 && !isListed)
  const choose = (value: string): void => {
    setTyping(value === typed)
    if (value !== typed) timingsStore.setState({ where: value })
  }
  return (
    <>
      <span
        className="case-option"
        title="Where Opsmith measures. A run has workers of its own: each takes one point of the sweep after the other. It goes on if you close the window."
      >
        <label htmlFor="timings-where">where</label>
        <select
          id="timings-where"
          value={isOther ? typed : where}
          data-testid="timings-where"
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
          title="Hosts of ~/.ssh/config and targets of the settings file, separated by commas. They must see the project’s folder."
        >
          <CommitField
            id="timings-hosts"
            label="hosts"
            text={where}
            placeholder="ssh:node1, ssh:node2"
            parse={(text) => ({ value: text.trim() })}
            onCommit={(value) => timingsStore.setState({ where: value })}
          />
        </span>
      )}
      {(where !== '' || isOther) && (
        <span className="case-option" title="Workers at a time">
          <CommitField
            id="timings-jobs"
            label="jobs"
            text={String(jobs)}
            parse={parseJobs}
            onCommit={(value) => timingsStore.setState({ jobs: value })}
          />
        </span>
      )}
    </>
  )
}

function placeText({ name, kind, missing }: WorkersChoice): string {
  const text = kind === 'local' ? 'this machine, as a run' : name
  return missing === '' ? text : `${text} (${missing})`
}

function parseJobs(text: string): { value: number } | { problem: string } {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= 1000
    ? { value }
    : { problem: 'must be an integer from 1 to 1000' }
}
