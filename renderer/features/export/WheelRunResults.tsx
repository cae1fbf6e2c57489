import type { ReactElement } from 'react'

import type { RunResults } from '../../../electron/contract/run-calls'
import { FormResult } from './ExportResults'

/** The wheels of a run, as they come. */
export function WheelRunResults({ results }: { results: RunResults }): ReactElement {
  return (
    <>
      {results.wheels.map(({ name, node, report }) => {
        const { form, steps } = report
        // Its files are those of the export.
        const progress = { form, steps, running: null, report: { ...report, files: [] } }
        return (
          <FormResult
            key={name}
            progress={progress}
            title={name}
            note={node}
            testId="export-wheel"
          />
        )
      })}
    </>
  )
}
