import { useEffect, useState, type ReactElement } from 'react'

import type { AppOutput } from '../../../electron/contract/app-calls'
import type { WorkbenchError } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { CopyButton } from '../../shell/primitives/CopyButton'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { chosenFinding, runDoctor, useDoctor } from '../../store/doctor'

type Info = AppOutput<'app.info'>

/** Versions, as a report of a bug wants them. */
export function AboutView(): ReactElement {
  const [info, setInfo] = useState<Info | null>(null)
  const [error, setError] = useState<WorkbenchError | null>(null)
  const report = useDoctor((state) => state.value)
  const isLooking = useDoctor((state) => state.running !== null)
  useEffect(() => {
    void call('app.info', {}).then((result) => {
      if (result.ok) setInfo(result.value)
      else setError(result.error)
    })
  }, [])
  useEffect(() => {
    if (report === null && !isLooking) void runDoctor()
  }, [report, isLooking])
  const electron = report?.findings.find(({ kind }) => kind === 'electron')
  const gpu = report?.findings.find(({ kind }) => kind === 'gpu')
  const facts: [name: string, value: string][] = [
    ['Opsmith', info?.version ?? '…'],
    ['Electron', info?.electron ?? '…'],
    ['Platform', info?.platform ?? '…'],
    ['Compiler', chosenFinding(report, 'compiler')?.name ?? '…'],
    ['libtorch', chosenFinding(report, 'libtorch')?.name ?? '…'],
    ['GPU', gpu?.judgement === 'absent' ? 'none' : (gpu?.name ?? '…')],
  ]
  return (
    <div className="scroll panel-pad" data-testid="help-versions">
      <h2>Opsmith</h2>
      <p>Write, build and inspect PyTorch operators in C++ and CUDA.</p>
      {error && <ErrorView error={error} />}
      {electron?.judgement === 'warning' && (
        <p className="tone-warning" data-testid="help-electron">
          {electron.why}. {electron.remedy}.
        </p>
      )}
      <div className="help-versions">
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="selectable">{value}</dd>
            </div>
          ))}
        </dl>
        <CopyButton
          text={() => facts.map(([name, value]) => `${name}: ${value}`).join('\n')}
          label="Copy the versions"
        />
      </div>
    </div>
  )
}
