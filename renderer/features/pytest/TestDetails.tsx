import type { ReactElement } from 'react'

import { CopyButton } from '../../shell/primitives/CopyButton'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatSeconds } from '../../shell/primitives/format'
import { Button } from '../../shell/primitives/Button'
import { useIsOlder } from '../../store/staleness'
import { runTests } from './job'
import { isBad, usePytest, type KnownTest } from './store'

/** What the chosen test says: its lines that failed, pytest's account of it, and what it printed. */
export function TestDetails(): ReactElement {
  const known = usePytest(({ chosen, tests }) => (chosen === null ? undefined : tests[chosen]))
  if (!known) return <EmptyState text="Choose a test to see its output." quiet />
  return <Details known={known} />
}

function Details({ known }: { known: KnownTest }): ReactElement {
  const { id, file, line, outcome, seconds, message, text, output, places } = known.test
  const isOld = useIsOlder('run')(known.stamp)
  const name = id.split('/').at(-1) ?? id
  return (
    <div className="pytest-details" data-testid="pytest-details" data-outcome={outcome}>
      <div className="pytest-head">
        <strong className="mono selectable" title={id}>
          {name}
        </strong>
        <FileLink file={file} line={line} short />
        <span className={isBad(known) ? 'tone-error' : 'muted'}>
          {outcome === 'none' ? 'not run' : `${outcome}, ${formatSeconds(seconds)}`}
          {isOld && outcome !== 'none' && ', with older sources'}
        </span>
        <span className="grow" />
        <Button icon="play" onClick={() => void runTests([id])} testId="pytest-run-this">
          Run this test
        </Button>
      </div>
      {message !== '' && (
        <p className="pytest-message mono selectable" data-testid="pytest-message">
          {message}
        </p>
      )}
      {places.length > 0 && (
        <ul className="pytest-places" aria-label="Lines of the failure">
          {places.map((place, index) => (
            <li key={index}>
              <FileLink file={place.file} line={place.line} />{' '}
              {place.name !== '' && <span className="mono muted">{place.name}</span>}
            </li>
          ))}
        </ul>
      )}
      <TextOf title="Failure" text={text} />
      <TextOf title="Output" text={output} />
    </div>
  )
}

function TextOf({ title, text }: { title: string; text: string }): ReactElement | null {
  if (text === '') return null
  return (
    <section className="pytest-text" aria-label={title}>
      <header>
        <span className="muted">{title}</span>
        <span className="grow" />
        <CopyButton text={() => text} label={`Copy: ${title}`} />
      </header>
      <pre className="selectable" tabIndex={0}>
        {text}
      </pre>
    </section>
  )
}
