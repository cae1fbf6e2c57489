import type { IDockviewPanelHeaderProps } from 'dockview-react'
import type { MouseEvent, ReactElement, ReactNode } from 'react'

import { Icon } from './primitives/Icon'
import { useBench } from '../features/timings/bench'
import { useBuild, useProblems } from '../store/build'
import { formState, useExport } from '../features/export/export'
import { useFiles } from '../store/files'
import { useGradcheck } from '../features/gradcheck/gradcheck'
import { unexpected } from '../features/gradcheck/gradcheck-problems'
import { unexpectedOperators, useOpcheck } from '../features/operator-checks/opcheck'
import { useHost } from '../store/host'
import { toolPanels, type ToolPanel } from '../store/layout'

export function FileTab(props: IDockviewPanelHeaderProps<{ path: string }>): ReactElement {
  const { path } = props.params
  const file = useFiles((state) => state.files[path])
  const name = path.slice(path.lastIndexOf('/') + 1)
  const state = file?.conflict ? ', conflict' : file?.dirty ? ', unsaved' : ''
  return (
    <Tab {...props} testId={`tab-${path}`} title={`${path}${state}`} dirty={file?.dirty === true}>
      <span className={file?.conflict?.kind === 'deleted' ? 'tab-name gone' : 'tab-name'}>
        {name}
      </span>
      {file?.conflict && (
        <span className="tone-warning">
          <Icon name="warning" label="conflict" />
        </span>
      )}
      {file?.external === true && <span className="muted tab-note">read-only</span>}
    </Tab>
  )
}

export function ToolTab(props: IDockviewPanelHeaderProps): ReactElement {
  const tool = props.api.id as ToolPanel
  return (
    <Tab {...props} testId={`tool-tab-${tool}`} title={toolPanels[tool]} dirty={false}>
      <span className="tab-name">{toolPanels[tool]}</span>
      {tool === 'problems' && <ProblemCount />}
      {tool === 'build' && <BuildMark />}
      {tool === 'host-output' && <CrashMark />}
      {tool === 'gradcheck' && <GradcheckMark />}
      {tool === 'timings' && <TimingsMark />}
      {tool === 'export' && <ExportMark />}
    </Tab>
  )
}

type TabProps = IDockviewPanelHeaderProps & {
  testId: string
  title: string
  dirty: boolean
  children: ReactNode
}

function Tab({ api, testId, title, dirty, children }: TabProps): ReactElement {
  const close = (event: MouseEvent): void => {
    event.stopPropagation()
    api.close()
  }
  return (
    <div
      className={dirty ? 'tab dirty' : 'tab'}
      data-testid={testId}
      data-dirty={dirty}
      title={title}
      onAuxClick={(event) => event.button === 1 && close(event)}
    >
      {children}
      {/* The docking library takes the pointer for dragging unless it is stopped here. */}
      <button
        type="button"
        className="tab-close"
        aria-label={`Close ${title}`}
        tabIndex={-1}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={close}
      >
        {dirty && (
          <span className="tab-dirty">
            <Icon name="dot" label="unsaved" />
          </span>
        )}
        <span className="tab-x">
          <Icon name="close" />
        </span>
      </button>
    </div>
  )
}

function ProblemCount(): ReactElement | null {
  const problems = useProblems()
  if (problems.length === 0) return null
  const errors = problems.filter((item) => item.severity === 'error').length
  return (
    <span
      className={errors > 0 ? 'count tone-error' : 'count tone-warning'}
      aria-label={`${errors} errors, ${problems.length} in all`}
      data-testid="problem-count"
    >
      {problems.length}
    </span>
  )
}

function BuildMark(): ReactElement | null {
  const building = useBuild((state) => state.job !== null)
  const failed = useBuild((state) => state.report?.ok === false || state.error !== null)
  if (building) return <span className="spinner" role="img" aria-label="building" />
  return failed ? (
    <span className="tone-error">
      <Icon name="error" label="failed" />
    </span>
  ) : null
}

function CrashMark(): ReactElement | null {
  const crash = useHost((state) => state.crash)
  return crash ? (
    <span className="tone-error">
      <Icon name="crash" label="crashed" />
    </span>
  ) : null
}

/** How many gradchecks and operators did not come out as expected. */
function GradcheckMark(): ReactElement | null {
  const gradients = useGradcheck((state) => unexpected(state.outcomes).length)
  const operators = useOpcheck((state) => unexpectedOperators(state).length)
  const wrong = gradients + operators
  const checkingGradients = useGradcheck((state) => state.all !== null)
  const checkingOperators = useOpcheck((state) => state.job !== null)
  if (checkingGradients || checkingOperators)
    return <span className="spinner" role="img" aria-label="checking" />
  if (wrong === 0) return null
  return (
    <span className="count tone-error" aria-label={`${wrong} not as expected`}>
      {wrong}
    </span>
  )
}

function TimingsMark(): ReactElement | null {
  const measuring = useBench((state) => state.work !== null)
  return measuring ? <span className="spinner" role="img" aria-label="measuring" /> : null
}

function ExportMark(): ReactElement | null {
  const exporting = useExport((state) => state.work !== null)
  const failed = useExport(
    (state) => state.forms.filter((form) => formState(state, form) === 'failed').length,
  )
  if (exporting) return <span className="spinner" role="img" aria-label="exporting" />
  if (failed === 0) return null
  return (
    <span className="count tone-error" aria-label={`${failed} failed`}>
      {failed}
    </span>
  )
}
