import type { ReactElement } from 'react'

import { CopyButton } from './CopyButton'

/** A table for a text, and all its numbers for a program; both are made when they are wanted. */
type Props = { markdown: () => string; csv: () => string; testId: string }

export function CopyTable({ markdown, csv, testId }: Props): ReactElement {
  return (
    <>
      <CopyButton
        text={markdown}
        label="Copy the table as Markdown"
        word="Markdown"
        testId={`${testId}-copy-markdown`}
      />
      <CopyButton
        text={csv}
        label="Copy every number as CSV"
        word="CSV"
        testId={`${testId}-copy-csv`}
      />
    </>
  )
}
