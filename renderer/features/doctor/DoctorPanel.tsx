import { useEffect, type ReactElement } from 'react'

import type { DoctorReport, Finding } from '../../../electron/contract/doctor'
import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatSeconds } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { lacksAddon, runDoctor, useDoctor } from '../../store/doctor'
import { showPanel } from '../../store/layout'
import { ExplainLog } from './ExplainLog'
import { FindingRow } from './FindingRow'
import { GpuSelfTest } from './GpuSelfTest'
import { Remedy } from '../../shell/primitives/Remedy'
import { ToolchainChoice } from './ToolchainChoice'

const headings: Record<Finding['kind'], string> = {
  project: 'This project',
  compiler: 'C++ compilers',
  libtorch: 'libtorch',
  linker: 'Linkers',
  addon: 'Native addon',
  electron: 'Electron',
  'precompiled-headers': 'Precompiled headers',
  python: 'Python',
  cuda: 'CUDA',
  gpu: 'GPUs',
  'virtual-gpu': 'Virtual GPU',
  tool: 'Tools',
}

/** What is on this machine, whether it is good enough, and what to do where it is not. */
export function DoctorPanel(): ReactElement {
  const report = useDoctor((state) => state.value)
  const running = useDoctor((state) => state.running !== null)
  const error = useDoctor((state) => state.error)
  useEffect(() => {
    if (report === null && !running && error === null) void runDoctor()
  }, [report, running, error])
  return (
    <div className="panel-column page" data-testid="doctor-panel">
      <div className="panel-bar wraps">
        <Verdict report={report} running={running} />
        <span className="grow" />
        <Button
          icon="refresh"
          disabled={running}
          onClick={() => void runDoctor()}
          testId="doctor-again"
        >
          Check again
        </Button>
      </div>
      <div className="scroll panel-pad">
        {error && <ErrorView error={error} />}
        {report ? <Report report={report} /> : <EmptyState text="Checking this machine …" quiet />}
      </div>
    </div>
  )
}

type VerdictProps = { report: DoctorReport | null; running: boolean }

function Verdict({ report, running }: VerdictProps): ReactElement {
  if (running) return <span role="status">Checking …</span>
  if (!report) return <></>
  return (
    <span
      className={report.ok ? 'doctor-verdict tone-ok' : 'doctor-verdict tone-error'}
      role="status"
      data-testid="doctor-verdict"
    >
      <Icon name={report.ok ? 'check' : 'error'} />{' '}
      {report.ok
        ? 'This machine can build and run operators.'
        : 'Doctor found problems: see below.'}
      <span className="muted">
        {' '}
        {report.platform}, checked in {formatSeconds(report.seconds)}
      </span>
    </span>
  )
}

function Report({ report }: { report: DoctorReport }): ReactElement {
  const kinds = (Object.keys(headings) as Finding['kind'][]).filter((kind) =>
    report.findings.some((finding) => finding.kind === kind),
  )
  return (
    <>
      {report.problems.map((problem, index) => (
        <div key={index} className="doctor-problem" role="alert">
          <p className="tone-error">
            <Icon name="error" /> {problem.message}
          </p>
          {problem.remedy !== '' && <Remedy command={problem.remedy} />}
        </div>
      ))}
      {lacksAddon(report) && (
        <p>
          <Button onClick={() => showPanel('setup')} testId="doctor-setup">
            Set up in this window
          </Button>
        </p>
      )}
      <ToolchainChoice report={report} />
      <GpuSelfTest />
      <ExplainLog />
      <table className="table findings">
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">What</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        {kinds.map((kind) => (
          <tbody key={kind}>
            <tr className="group-head">
              <th scope="rowgroup" colSpan={3}>
                {headings[kind]}
              </th>
            </tr>
            {report.findings
              .filter((finding) => finding.kind === kind)
              .map((finding, index) => (
                <FindingRow key={index} finding={finding} />
              ))}
          </tbody>
        ))}
      </table>
    </>
  )
}
