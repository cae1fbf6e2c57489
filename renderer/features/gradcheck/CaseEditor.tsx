import type { ReactElement } from 'react'

import { CallFields } from '../../shell/primitives/CallFields'
import { InputChips } from '../../shell/primitives/InputChips'
import { InputForm } from '../../shell/primitives/InputForm'
import { MainAction } from '../../shell/primitives/MainAction'
import { useGradcheck } from './store'
import { inputsNamed } from '../../store/argument-list'
import { gradcheckJob, stopGradchecks } from './jobs'
import { chooseOther, editDraft, runGradcheck } from './run'
import { useInputSpecs } from '../../store/inputs'
import { useJob } from '../../store/job'
import { showPanel } from '../../store/layout'
import { CaseOptions } from './CaseOptions'

/** What is checked, and how; a change is checked by itself. */
export function CaseEditor(): ReactElement {
  return (
    <div className="case-form" role="group" aria-label="Case to check">
      <CallBar />
      <CaseOptions />
      <CaseInputs />
    </div>
  )
}

function CallBar(): ReactElement {
  const draft = useGradcheck((state) => state.draft)
  const job = useJob(gradcheckJob, (state) => state)
  return (
    <div className="case-call">
      <CallFields
        id="gradcheck"
        op={draft.op}
        argsText={draft.argsText}
        placeholder="no arguments"
        onChoose={chooseOther}
        onArguments={(argsText) => editDraft({ argsText })}
      />
      <MainAction
        text="Check"
        title="Checks this case"
        command="gradcheck.run"
        disabled={draft.op === ''}
        job={job}
        onStart={() => void runGradcheck()}
        onStop={() => void stopGradchecks()}
        testId="gradcheck-run"
        stopTestId="gradcheck-stop"
      />
    </div>
  )
}

/** The inputs of the call; an edit is this case's own until it is kept. */
function CaseInputs(): ReactElement | null {
  const draft = useGradcheck((state) => state.draft)
  const specs = useInputSpecs()
  const all = { ...specs, ...draft.inputs }
  const inputs = inputsNamed(draft.argsText, all).flatMap((name) => {
    const spec = all[name]
    return spec ? [[name, spec] as const] : []
  })
  return (
    <InputChips
      inputs={inputs}
      specs={specs}
      own={draft.inputs}
      owner="case"
      testId="gradcheck"
      form={(name, spec) => (
        <InputForm
          name={name}
          spec={spec}
          onChange={(next) => editDraft({ inputs: { ...draft.inputs, [name]: next } })}
        />
      )}
      note={
        <>
          <span className="muted">These inputs belong only to this case.</span>
          <button type="button" className="link" onClick={() => showPanel('run')}>
            Edit the inputs of the project in the Run panel
          </button>
        </>
      }
      onReset={(name) => {
        const { [name]: _taken, ...others } = draft.inputs
        editDraft({ inputs: others })
      }}
    />
  )
}
