import { useState, type ReactElement } from 'react'

import { largestLog, type ExplainedFailure } from '../../../electron/contract/doctor'
import { call } from '../../bridge/bridge'
import { Section } from '../../shell/primitives/Section'
import { notifyError } from '../../store/notifications'
import { Remedy } from '../../shell/primitives/Remedy'

/** Explains what pip, setup.py, load() or Python printed on any machine, as soon as it is pasted. */
export function ExplainLog(): ReactElement {
  const [text, setText] = useState('')
  const [failures, setFailures] = useState<ExplainedFailure[] | null>(null)
  const explain = async (pasted: string): Promise<void> => {
    setText(pasted)
    // The end of a log has its error.
    const result = await call('doctor.explainLog', { text: pasted.slice(-largestLog) })
    if (!result.ok) notifyError(result.error)
    setFailures(result.ok && pasted.trim() !== '' ? result.value : null)
  }
  return (
    <Section title="Explain a build error">
      <textarea
        className="mono doctor-log"
        rows={4}
        value={text}
        spellCheck={false}
        aria-label="What pip, setup.py, load() or Python printed"
        placeholder="Paste what pip, setup.py, load() or Python printed."
        data-testid="doctor-log"
        onChange={(event) => void explain(event.target.value)}
      />
      <div role="status">
        {failures?.length === 0 && (
          <p className="muted">
            Opsmith does not recognize a problem in this text. Paste the whole output, from the
            first error to the end.
          </p>
        )}
        {failures?.map((failure) => (
          <Failure key={failure.line} failure={failure} />
        ))}
      </div>
    </Section>
  )
}

function Failure({ failure }: { failure: ExplainedFailure }): ReactElement {
  const { line, text, cause, remedy, command } = failure
  return (
    <div className="doctor-problem" data-testid="doctor-failure">
      <p className="mono muted ellipsis selectable" title={text}>
        {line}: {text}
      </p>
      <p className="selectable">
        {cause} {remedy}
      </p>
      {command !== '' && <Remedy command={command} />}
    </div>
  )
}
