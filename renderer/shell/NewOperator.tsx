import { useEffect, useRef, type ReactElement } from 'react'

import {
  cancelNewOperator,
  changeNewOperator,
  createOperator,
  useNewOperator,
} from '../store/new-operator'
import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'
import { DialogActions, ProjectDialog } from './ProjectDialog'
import { TemplateChoice } from './TemplateChoice'

/** A new operator of the open project, until the user adds it or not. */
export function NewOperatorDialog(): ReactElement | null {
  return useNewOperator() && <NewOperator />
}

function NewOperator(): ReactElement | null {
  const shown = useNewOperator()
  const nameField = useRef<HTMLInputElement>(null)
  useEffect(() => nameField.current?.focus(), [])
  if (!shown) return null
  const { name, template, templates, isBusy, error } = shown
  return (
    <ProjectDialog
      title="New operator"
      isBusy={isBusy}
      testId="new-operator"
      onCancel={cancelNewOperator}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void createOperator()
        }}
      >
        <TemplateChoice
          templates={templates}
          chosen={template}
          testId="new-operator-template"
          onChoose={(id) => changeNewOperator({ template: id })}
        />
        <div className="form">
          <label htmlFor="new-operator-name">Name</label>
          <input
            id="new-operator-name"
            ref={nameField}
            required
            spellCheck={false}
            placeholder="fused_gelu"
            value={name}
            data-testid="new-operator-name"
            onChange={(event) => changeNewOperator({ name: event.target.value, error: null })}
          />
        </div>
        <p className="muted">
          Adds the source files of the operator. Adds inputs, a call, gradchecks and a benchmark to
          opsmith.json.
        </p>
        {error && <ErrorView error={error} testId="new-operator-error" />}
        <DialogActions submit="Add and open" isBusy={isBusy} testId="new-operator-create">
          <Button onClick={cancelNewOperator} testId="new-operator-cancel">
            Cancel
          </Button>
        </DialogActions>
      </form>
    </ProjectDialog>
  )
}
