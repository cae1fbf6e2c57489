import { useState, type ReactElement } from 'react'

import type { DoctorReport } from '../../../electron/contract/doctor'
import type { GpuChoice } from '../../../electron/contract/gpu-choice'
import { gpuChoices } from '../../shell/primitives/gpu-choices'
import { Segmented } from '../../shell/primitives/Segmented'
import { chooseTools, useDoctor } from '../../store/doctor'
import { useProject } from '../../store/project'
import { useSettings } from '../../store/settings'

type Scope = 'user' | 'project'

/** Which compiler, libtorch and GPU builds use: for all projects, or for this one. */
export function ToolchainChoice({ report }: { report: DoctorReport }): ReactElement {
  const project = useProject((state) => state.project)
  const [scope, setScope] = useState<Scope>('user')
  const shown: Scope = project === null ? 'user' : scope
  return (
    <fieldset className="toolchain">
      <legend>Tools for builds</legend>
      {project !== null && (
        <Segmented
          label="Projects"
          value={shown}
          onChange={setScope}
          options={[
            { value: 'user', label: 'All projects' },
            { value: 'project', label: `Only ${project.name}` },
          ]}
        />
      )}
      <div className="form">
        <ToolSelect kind="compiler" label="Compiler" report={report} scope={shown} />
        <ToolSelect kind="libtorch" label="libtorch" report={report} scope={shown} />
        <GpuSelect scope={shown} />
      </div>
    </fieldset>
  )
}

/** What runs CUDA code. For all projects, "auto" is the choice that nobody made. */
function GpuSelect({ scope }: { scope: Scope }): ReactElement {
  const running = useDoctor((state) => state.running !== null)
  const ofUser = useSettings((settings) => settings.gpu)
  const ofProject = useProject((state) => state.project?.manifest?.toolchain.gpu ?? '')
  return (
    <>
      <label htmlFor="doctor-gpu">CUDA code runs on</label>
      <select
        id="doctor-gpu"
        value={scope === 'user' ? ofUser : ofProject}
        disabled={running}
        data-testid="doctor-gpu"
        onChange={(event) => void chooseTools({ gpu: event.target.value as GpuChoice | '' }, scope)}
      >
        {scope === 'project' && <option value="">Same as for all projects</option>}
        {gpuChoices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </>
  )
}

type ToolSelectProps = {
  kind: 'compiler' | 'libtorch'
  label: string
  report: DoctorReport
  scope: Scope
}

function ToolSelect({ kind, label, report, scope }: ToolSelectProps): ReactElement {
  const running = useDoctor((state) => state.running !== null)
  const ofUser = useSettings((settings) => settings[kind])
  const ofProject = useProject((state) => state.project?.manifest?.toolchain[kind] ?? '')
  const value = scope === 'user' ? ofUser : ofProject
  const usable = report.findings.filter(
    (finding) =>
      finding.kind === kind && finding.judgement !== 'absent' && finding.judgement !== 'unusable',
  )
  const known = value === '' || usable.some((finding) => finding.path === value)
  const id = `doctor-${kind}`
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={running}
        data-testid={id}
        onChange={(event) => void chooseTools({ [kind]: event.target.value }, scope)}
      >
        <option value="">
          {scope === 'user' ? 'Let Opsmith choose' : 'Same as for all projects'}
        </option>
        {usable.map((finding) => (
          <option key={finding.path} value={finding.path}>
            {finding.name} · {finding.path}
          </option>
        ))}
        {!known && <option value={value}>{value} (not usable)</option>}
      </select>
    </>
  )
}
