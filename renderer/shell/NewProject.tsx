import { useEffect, useRef, type ReactElement } from 'react'

import {
  cancelNewProject,
  changeNewProject,
  chooseParent,
  createProject,
  isOfSample,
  useNewProject,
} from '../store/new-project'
import { machineOf } from '../../electron/contract/project-place'
import { openProject } from '../store/project'
import { openRemoteProject } from '../store/remote'
import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'
import { DialogActions, ProjectDialog } from './ProjectDialog'
import { TemplateChoice } from './TemplateChoice'

/** A new project from a template, until the user creates it or not. */
export function NewProjectDialog(): ReactElement | null {
  return useNewProject() && <NewProject />
}

/** @param target "" for this machine */
async function create(target: string): Promise<void> {
  const folder = await createProject()
  if (folder === null) return
  if (target === '') await openProject(folder)
  else await openRemoteProject({ target, folder })
}

function NewProject(): ReactElement | null {
  const shown = useNewProject()
  const nameField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // The dialog focuses its first control, which is a template.
    nameField.current?.focus()
    nameField.current?.select()
  }, [])
  if (!shown) return null
  const { target, parent, template, templates, isBusy, error } = shown
  const isSample = isOfSample(shown)
  const name = isSample ? template.slice('sample:'.length) : shown.name
  return (
    <ProjectDialog
      title={target === '' ? 'New project' : `New project on ${machineOf(target)}`}
      isBusy={isBusy}
      testId="new-project"
      onCancel={cancelNewProject}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void create(target)
        }}
      >
        <TemplateChoice
          templates={templates}
          chosen={template}
          testId="new-project-template"
          onChoose={(id) => changeNewProject({ template: id })}
        />
        <div className="form">
          <label htmlFor="new-project-name">Name</label>
          <input
            id="new-project-name"
            ref={nameField}
            required
            spellCheck={false}
            placeholder="fused_gelu"
            value={name}
            disabled={isSample}
            data-testid="new-project-name"
            onChange={(event) => changeNewProject({ name: event.target.value, error: null })}
          />
          <label htmlFor="new-project-parent">Folder</label>
          <div className="form-row">
            <input
              id="new-project-parent"
              className="grow mono"
              required
              spellCheck={false}
              value={parent}
              data-testid="new-project-parent"
              onChange={(event) => changeNewProject({ parent: event.target.value, error: null })}
            />
            {target === '' && <Button onClick={() => void chooseParent()}>Browse …</Button>}
          </div>
        </div>
        <p className="muted ellipsis selectable project-place">
          {name !== '' && `Creates ${parent === '/' ? '' : parent}/${name}`}&nbsp;
        </p>
        {error && <ErrorView error={error} testId="new-project-error" />}
        <DialogActions submit="Create and open" isBusy={isBusy} testId="new-project-create">
          <Button onClick={cancelNewProject} testId="new-project-cancel">
            Cancel
          </Button>
        </DialogActions>
      </form>
    </ProjectDialog>
  )
}
