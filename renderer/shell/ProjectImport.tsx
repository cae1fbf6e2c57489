import { useState, type ReactElement } from 'react'

import {
  withRoot,
  type ImportRemark,
  type ImportSwitch,
  type ProjectProposal,
  type ProposedFile,
} from '../../electron/contract/project-import'
import { openProject } from '../store/project'
import {
  acceptProposal,
  cancelProposal,
  keepApart,
  proposeAgain,
  setSwitch,
  useProjectImport,
} from '../store/project-import'
import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'
import { Icon } from './primitives/Icon'
import { ProjectDialog } from './ProjectDialog'

/** The opsmith.json that is proposed for a folder without one, until the user accepts it or not. */
export function ProjectImportDialog(): ReactElement | null {
  const shown = useProjectImport()
  return shown && <Proposal key={shown.folder} />
}

async function create(): Promise<void> {
  const folder = await acceptProposal()
  if (folder !== null) await openProject(folder)
}

function Proposal(): ReactElement | null {
  const shown = useProjectImport()
  if (!shown) return null
  const { folder, proposal, isApart, isBusy, error } = shown
  const mayRun = proposal === null || proposal.notRun
  // What must be run first has no proposal: its file is named by the error.
  const buildFile = proposal?.buildFile ?? 'The build file'
  return (
    <ProjectDialog
      title="This folder has no opsmith.json yet"
      isBusy={isBusy}
      testId="import-dialog"
      onCancel={cancelProposal}
    >
      <p className="mono selectable">{folder}</p>
      {proposal && <p className="muted">{madeFrom(proposal)}</p>}
      {mayRun && (
        <p className="import-trust">
          <Icon name="shield" />
          <span className="grow">
            {buildFile} has not run, because you have not trusted its authors. If you trust them,
            run this file to find everything that it builds.
          </span>
          <Button
            disabled={isBusy}
            testId="import-trust"
            onClick={() => void proposeAgain({}, true)}
          >
            {proposal
              ? `Trust the authors and run ${buildFile}`
              : 'Trust the authors and run the build file'}
          </Button>
        </p>
      )}
      {proposal && <ProposalText proposal={isApart ? withRoot(proposal) : proposal} />}
      {proposal && proposal.switches.length > 0 && <Switches proposal={proposal} isBusy={isBusy} />}
      {proposal && proposal.files.length > 0 && <ProposedFiles files={proposal.files} />}
      {proposal && proposal.remarks.length > 0 && <Remarks remarks={proposal.remarks} />}
      {proposal && <OtherExtensions proposal={proposal} isBusy={isBusy} />}
      {proposal && (
        <label className="check" title={proposal.apart}>
          <input
            type="checkbox"
            checked={isApart}
            disabled={isBusy}
            data-testid="import-apart"
            onChange={(event) => keepApart(event.target.checked)}
          />
          Store opsmith.json and build/ outside of this folder, in{' '}
          <span className="mono ellipsis">{proposal.apart}</span>
        </label>
      )}
      {error && <ErrorView error={error} testId="import-error" />}
      <div className="actions">
        <Button onClick={cancelProposal} testId="import-cancel">
          Cancel
        </Button>
        <Button
          primary
          disabled={isBusy || proposal === null}
          testId="import-create"
          onClick={() => void create()}
        >
          Create opsmith.json and open
        </Button>
      </div>
    </ProjectDialog>
  )
}

function madeFrom({ source, buildFile, python }: ProjectProposal): string {
  switch (source) {
    case 'run':
      return `Opsmith ran setup.py with ${python}, and recorded what it builds.`
    case 'text':
      return 'This proposal comes from the text of setup.py.'
    case 'cmake':
      return `This proposal comes from ${buildFile}: CMake configured a copy of the folder with the torch of ${python}.`
    case 'script':
      return `This proposal comes from a recorded import of ${buildFile} with ${python}.`
    case 'sources':
      return 'This proposal comes from the C++ and CUDA files that register operators.'
  }
}

/** Each line with its origin. */
function ProposalText({ proposal }: { proposal: ProjectProposal }): ReactElement {
  return (
    <div className="import-lines selectable" tabIndex={0} data-testid="import-lines">
      <table aria-label="The proposed opsmith.json, with the origin of each line">
        <tbody>
          {proposal.lines.map(({ text, origin }, index) => (
            <tr key={index}>
              <td className="mono">{text}</td>
              <td className="muted">{origin}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** What the build file asks for; another value makes another proposal. */
function Switches({
  proposal,
  isBusy,
}: {
  proposal: ProjectProposal
  isBusy: boolean
}): ReactElement {
  return (
    <fieldset className="import-switches" data-testid="import-switches">
      <legend>Variables that {proposal.buildFile} reads</legend>
      {proposal.switches.map((one) => (
        <label key={one.name} title={one.line > 0 ? `${one.file}:${one.line}` : one.file}>
          <span className="mono">{one.name}</span>
          {one.isOption ? (
            <select
              value={one.value}
              disabled={isBusy}
              data-testid={`import-switch-${one.name}`}
              onChange={(event) => void setSwitch(one, event.target.value)}
            >
              <option>ON</option>
              <option>OFF</option>
            </select>
          ) : (
            <VariableField variable={one} isBusy={isBusy} />
          )}
        </label>
      ))}
    </fieldset>
  )
}

/** An environment variable; it counts when it is left, or with Enter. */
function VariableField({
  variable,
  isBusy,
}: {
  variable: ImportSwitch
  isBusy: boolean
}): ReactElement {
  const [text, setText] = useState(variable.value)
  return (
    <input
      className="mono"
      value={text}
      placeholder="not set"
      spellCheck={false}
      disabled={isBusy}
      data-testid={`import-switch-${variable.name}`}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => void setSwitch(variable, text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') void setSwitch(variable, text)
      }}
    />
  )
}

/** Sources that are written with opsmith.json; their text unfolds. */
function ProposedFiles({ files }: { files: readonly ProposedFile[] }): ReactElement {
  return (
    <div className="import-files selectable" data-testid="import-files">
      {files.map(({ path, text, origin }) => (
        <details key={path}>
          <summary>
            <span className="mono">{path}</span> will also be created{' '}
            <span className="muted">{origin}</span>
          </summary>
          <pre className="mono">{text}</pre>
        </details>
      ))}
    </div>
  )
}

function Remarks({ remarks }: { remarks: readonly ImportRemark[] }): ReactElement {
  return (
    <ul className="import-remarks selectable" data-testid="import-remarks">
      {remarks.map(({ text, file, line, command }, index) => (
        <li key={index}>
          {file !== '' && <span className="mono">{line > 0 ? `${file}:${line}` : file} </span>}
          {text}
          {command !== '' && (
            <>
              {' '}
              <code>{command}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

function OtherExtensions({
  proposal,
  isBusy,
}: {
  proposal: ProjectProposal
  isBusy: boolean
}): ReactElement | null {
  const { extensions, otherExtensions } = proposal
  if (otherExtensions.length === 0) return null
  return (
    <label className="import-extension">
      Extension of {proposal.buildFile}{' '}
      <select
        value={extensions[0] ?? ''}
        disabled={isBusy}
        data-testid="import-extension"
        onChange={(event) => void proposeAgain({ extension: event.target.value })}
      >
        {[...extensions, ...otherExtensions].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
