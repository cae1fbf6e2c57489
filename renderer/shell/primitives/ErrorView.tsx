import type { ReactElement, ReactNode } from 'react'

import type { WorkbenchError } from '../../../electron/contract/outcome'
import { runCommand } from '../../store/commands'
import { Button } from './Button'
import { CopyButton } from './CopyButton'
import { FileLink } from './FileLink'
import { HelpLink } from './HelpLink'
import { Icon } from './Icon'

type Props = { error: WorkbenchError; testId?: string; children?: ReactNode }

/** What these errors ask for: a build whose kernels do not report. */
const turnsOff = new Map<string, string>([
  ['build.checked', 'Turn off kernel checks'],
  ['build.counted', 'Turn off counts'],
])

/** Plain words first, then what to do; the raw text is one click away. */
export function ErrorView({ error, testId, children }: Props): ReactElement {
  const turnOff = turnsOff.get(error.code)
  return (
    <div className="error-view" role="alert" data-testid={testId} data-code={error.code}>
      <div className="error-message">
        <Icon name="error" />
        <span className="selectable">{error.message}</span>
      </div>
      {error.file !== undefined && error.file !== '' && (
        <FileLink file={error.file} line={error.line ?? 0} column={error.column ?? 1} />
      )}
      {error.hint !== undefined && error.hint !== '' && (
        <p className="error-hint selectable">{error.hint}</p>
      )}
      <HelpLink page="reference/errors" heading={error.code}>
        About this error
      </HelpLink>
      {(turnOff !== undefined || children !== undefined) && (
        <div className="actions">
          {turnOff !== undefined && (
            <Button icon="chip" onClick={() => runCommand('kernels.off')}>
              {turnOff}
            </Button>
          )}
          {children}
        </div>
      )}
      {error.detail !== undefined && error.detail !== '' && <Details text={error.detail} />}
    </div>
  )
}

export function Details({
  text,
  label = 'Details',
}: {
  text: string
  label?: string
}): ReactElement {
  return (
    <details className="details">
      <summary>{label}</summary>
      <div className="details-body">
        <CopyButton text={() => text} label="Copy" />
        <pre className="selectable">{text}</pre>
      </div>
    </details>
  )
}
