import { useStore } from 'zustand'
import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { CommandMenu } from '../../shell/primitives/CommandMenu'
import { EnlargeButton } from '../../shell/primitives/EnlargeButton'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { useLasting } from '../../shell/primitives/lasting'
import { MainAction } from '../../shell/primitives/MainAction'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { Section } from '../../shell/primitives/Section'
import { UncalledCuda } from '../../shell/primitives/UncalledCuda'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { programFunctionsStore } from '../../store/program-functions'
import { lacksInputs, runOrMakeInputs } from './make-inputs'
import { useRun } from './run'
import { makeInputsJob, runJob } from './job'
import { useBuild } from '../../store/build'
import { useJob } from '../../store/job'
import { useSchemas } from '../../store/schemas'
import { ArgumentsEditor } from './ArgumentsEditor'
import { InputsEditor } from './InputsEditor'
import { OperatorChoice } from './OperatorChoice'
import { ReferenceEditor } from './ReferenceEditor'
import { RunResult } from './RunResult'
import { RunVerdict } from './RunVerdict'

export function RunPanel(): ReactElement {
  const op = useRun((state) => state.op)
  const hasCalls = useProject((state) => (state.project?.manifest?.calls.length ?? 0) > 0)
  const hasOperators = useSchemas((state) => (state.load?.operators.length ?? 0) > 0)
  if (op === '' && !hasCalls && !hasOperators) {
    return (
      <NeedsBuild
        icon="play"
        text="Calls an operator with your inputs and shows the results. Build the project first."
      />
    )
  }
  return (
    <div className="panel-column" data-testid="run-panel">
      <div className="panel-bar split-bar">
        <RunVerdict />
        <PanelMenu />
        <EnlargeButton panel="run" />
      </div>
      <div className="case-form" role="group" aria-label="Call to run">
        <div className="case-call">
          <OperatorChoice />
          <RunButton />
        </div>
      </div>
      <UncalledCuda op={op} />
      <div className="scroll">
        <SignatureProblem />
        <InputsProblem />
        <ArgumentsEditor />
        <InputsEditor />
        <ReferenceEditor />
        <RunResult />
      </div>
    </div>
  )
}

function PanelMenu(): ReactElement {
  // What can be done depends on this.
  useRun((state) => state.op === '')
  return <CommandMenu name="Run" testId="run-menu" sections={[['run.go', 'run.keepCall']]} />
}

function RunButton(): ReactElement {
  const run = useJob(runJob, (state) => state)
  const making = useJob(makeInputsJob, (state) => state)
  const op = useRun((state) => state.op)
  const lacks = useRun(({ signature, texts }) => lacksInputs(signature, texts))
  const [job, state] = making.running === null ? [runJob, run] : [makeInputsJob, making]
  return (
    <MainAction
      text={lacks ? 'Make inputs and run' : 'Run'}
      title={
        lacks
          ? 'Makes inputs that fit the schema of the operator, writes them to opsmith.json, and runs the operator'
          : 'Runs this call'
      }
      command="run.go"
      disabled={op === ''}
      job={state}
      // A repeat after a build may still run, unseen.
      onStart={() => void runJob.ended().then(runOrMakeInputs)}
      onStop={() => void job.stop()}
      testId="run-go"
      stopTestId="run-stop"
    />
  )
}

/** Why no inputs could be made for what is chosen. */
function InputsProblem(): ReactElement | null {
  const error = useJob(makeInputsJob, (state) => state.error)
  if (!error) return null
  return (
    <div className="panel-pad">
      <ErrorView error={error} testId="run-inputs-error">
        {error.exit && <Button onClick={() => showPanel('host-output')}>Show the crash</Button>}
      </ErrorView>
    </div>
  )
}

function SignatureProblem(): ReactElement | null {
  // An operator that was just added is not there before the build that is under way.
  const isBuilding = useLasting(useBuild((state) => state.running !== null))
  const signatureError = useRun((state) => state.signatureError)
  const error = isBuilding ? null : signatureError
  const functionsError = useStore(programFunctionsStore, (state) => state.error)
  if (!error && !functionsError) return null
  return (
    <div className="panel-pad">
      {error && <ErrorView error={error} />}
      {functionsError && (
        <Section title="The program does not compile" open>
          <ErrorView error={functionsError} />
        </Section>
      )}
    </div>
  )
}
