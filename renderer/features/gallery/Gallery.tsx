import { useEffect, type ReactElement } from 'react'

import type { Sample } from '../../../electron/contract/project'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { Icon } from '../../shell/primitives/Icon'
import { SamplePicture } from './SamplePicture'
import { loadSamples, openSampleCopy, useProject } from '../../store/project'

/** The samples as cards; opening one makes a copy, so that the original stays as it is. */
export function Gallery(): ReactElement {
  const samples = useProject((state) => state.samples)
  const opening = useProject((state) => state.opening)
  useEffect(() => {
    if (samples === null) void loadSamples()
  }, [samples])
  if (samples === null) return <EmptyState text="Looking for the samples …" quiet />
  if (samples.length === 0) return <EmptyState text="No samples were found." quiet />
  return (
    <ul className="gallery" data-testid="gallery">
      {samples.map((sample) => (
        <SampleCard key={sample.name} sample={sample} busy={opening !== null} />
      ))}
    </ul>
  )
}

function SampleCard({ sample, busy }: { sample: Sample; busy: boolean }): ReactElement {
  const opening = useProject((state) => state.opening === sample.name)
  return (
    <li className="card gallery-card" data-testid={`gallery-card-${sample.name}`}>
      {sample.example && <SamplePicture example={sample.example} />}
      <h3>
        <Icon name="flask" />{' '}
        <button
          type="button"
          className="gallery-open"
          aria-label={`Open a copy of ${sample.name}`}
          title="Open a copy"
          disabled={busy}
          data-testid={`gallery-open-${sample.name}`}
          onClick={() => void openSampleCopy(sample.name)}
        >
          {opening ? `${sample.name}: copying …` : sample.name}
        </button>
      </h3>
      <p className="card-text">{sample.description}</p>
      <ul className="gallery-tags" aria-label="Shows">
        {sample.tags.map((tag) => (
          <li key={tag}>{tag}</li>
        ))}
      </ul>
      {sample.missing !== '' && (
        <p className="tone-warning selectable">
          <Icon name="warning" /> Needs <code>{sample.missing}</code>
        </p>
      )}
    </li>
  )
}
