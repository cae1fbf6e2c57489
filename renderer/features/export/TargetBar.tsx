import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { MainAction } from '../../shell/primitives/MainAction'
import { RunFields } from '../../shell/primitives/RunFields'
import { runCommand } from '../../store/commands'
import { exportStore, undecided, useExport, useExportFolder } from './store'
import { choicesJob, useExportWork, useIsExporting } from './jobs'
import { useJob } from '../../store/job'
import { chooseFolder, chosenForms, exportCommandLine } from './run'
import { exportRuns } from './runs'
import { useProject } from '../../store/project'

/** Where to, and what is done. */
export function TargetBar(): ReactElement {
  const folder = useExportFolder()
  const project = useProject((state) => state.project?.folder ?? '')
  const proof = useExport((state) => state.proof)
  const isBusy = useIsExporting()
  return (
    <div className="case-form">
      <div className="case-call">
        <span className="case-arguments export-folder">
          <CommitField
            id="export-folder"
            label="To"
            text={folder}
            parse={(text) =>
              text.trim() === '' ? { problem: 'Enter a folder.' } : { value: text }
            }
            onCommit={(typed) => void chooseFolder(typed)}
          />
        </span>
        <ExportButton />
      </div>
      {folder.startsWith(`${project}/`) && (
        <p className="tone-warning">
          <Icon name="warning" /> This folder is in the project: patterns in <code>sources</code>{' '}
          may match exported files. Choose a folder outside of the project.
        </p>
      )}
      <WheelsField />
      <div className="case-call">
        <Button
          icon="folder"
          disabled={isBusy}
          onClick={() => runCommand('export.folder')}
          title="Choose the folder. Each form gets a subfolder with its name."
          testId="export-choose-folder"
        >
          Choose …
        </Button>
        <Button
          disabled={isBusy}
          onClick={() => runCommand('export.diff')}
          title="Shows the files that an export would write, and how each file would change. Nothing is written."
          testId="export-diff"
        >
          Show changes
        </Button>
        <label
          className="check"
          title="Copies each export to an empty folder, and builds and runs the copy, without a network if this machine allows that. Compares the results of all calls with the results in Opsmith."
        >
          <input
            type="checkbox"
            checked={proof}
            disabled={isBusy}
            data-testid="export-proof"
            onChange={(event) => exportStore.setState({ proof: event.target.checked })}
          />
          prove exports
        </label>
        <span className="grow" />
        <CopyButton
          text={exportCommandLine}
          label="Copy the command line of this export"
          word="Command"
          testId="export-copy-command"
        />
      </div>
    </div>
  )
}

/** For which torch wheels are built, as long as a form takes that and is proven. */
function WheelsField(): ReactElement | null {
  useProject((state) => state.project?.manifest?.exports)
  const choices = useJob(choicesJob, (state) => state.value)
  const pythons = useExport((state) => state.pythons)
  const isOffered = useExport(
    ({ proof }) =>
      proof &&
      chosenForms().some((form) => choices?.find((one) => one.form === form)?.wheelPerTorch),
  )
  if (!isOffered) return null
  return (
    <>
      <div className="case-call">
        <span
          className="case-arguments export-folder"
          title="Opsmith builds a wheel for the torch of each of these Pythons, and tests the wheel with that Python. If this field is empty, Opsmith builds one wheel, for the libtorch of the project."
        >
          <CommitField
            id="export-pythons"
            label="Wheels for"
            text={pythons.join(', ')}
            placeholder="Pythons: /path/to/venv/bin/python, …"
            parse={(text) => ({ value: text.split(',').flatMap((word) => word.trim() || []) })}
            onCommit={(named) => exportStore.setState({ pythons: named })}
          />
        </span>
      </div>
      {pythons.length > 0 && (
        <div className="case-call">
          <RunFields of={exportRuns} />
        </div>
      )}
    </>
  )
}

function ExportButton(): ReactElement {
  useProject((state) => state.project?.manifest?.exports)
  useJob(choicesJob, (state) => state.value)
  const count = useExport(() => chosenForms().length)
  const job = useExportWork()
  const open = useExport((state) => (state.review ? undecided(state.review) : 0))
  return (
    <MainAction
      text={`Export ${formatCount(count, 'form')}`}
      title={
        open > 0
          ? `First choose “Keep my file” or “Overwrite” for ${formatCount(open, 'file')}`
          : 'Writes the chosen forms into the folder'
      }
      command="export.run"
      disabled={count === 0 || open > 0}
      job={job}
      onStart={() => runCommand('export.run')}
      onStop={() => runCommand('export.stop')}
      testId="export-run"
      stopTestId="export-stop"
    />
  )
}
