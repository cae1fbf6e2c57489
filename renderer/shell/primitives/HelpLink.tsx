import type { ReactElement } from 'react'

import { runCommand } from '../../store/commands'
import { headingAnchor } from './heading-anchor'

type Props = {
  /** A page of docs, without ".md": "reference/errors". */
  page: string
  /** The heading to show. */
  heading: string
  children: string
}

/** From a message to the page that explains it. */
export function HelpLink({ page, heading, children }: Props): ReactElement {
  return (
    <button
      type="button"
      className="link help-link"
      data-testid="help-link"
      onClick={() => runCommand('help.guides', `${page}#${headingAnchor(heading)}`)}
    >
      {children}
    </button>
  )
}
