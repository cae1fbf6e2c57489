import { useEffect, useRef, type ReactElement } from 'react'

import {
  cancelNewProject,
  changeNewProject,
  chooseParent,
  createProject,
  useNewProject,
} from '../store/new-project'
import { openProject } from '../store/project'
import { Button } from './primitives/Button'
import { ErrorView } from './primitives/ErrorView'
import { ProjectDialog } from './ProjectDialog'

/** A new project from a template, until the user creates it or not. */
export function NewProjectDialog(): ReactElement | null {
  return useNewProject() && <NewProject />
}

async function create(): Promise<void> {
  const folder = await createProject()
  if (folder !== null) await openProject(folder)
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
  const { name, parent, isBusy, error } = shown
  return (
    <ProjectDialog
      title="New project"
      isBusy={isBusy}
      testId="new-project"
      onCancel={cancelNewProject}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Templates />
        <div className="form">
          <label htmlFor="new-project-name">Name</label>
          <input
            id="new-project-name"
            ref={nameField}
            required
            spellCheck={false}
            placeholder="fused_gelu"
            value={name}
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
            <Button onClick={() => void chooseParent()}>Browse …</Button>
          </div>
        </div>
        <p className="muted ellipsis selectable project-place">
          {name !== '' && `Creates ${parent === '/' ? '' : parent}/${name}`}&nbsp;
        </p>
        {error && <ErrorView error={error} testId="new-project-error" />}
        <div className="actions">
          <Button onClick={cancelNewProject} testId="new-project-cancel">
            Cancel
          </Button>
          <button
            type="submit"
            className="button primary"
            disabled={isBusy}
            data-testid="new-project-create"
          >
            Create and open
          </button>
        </div>
      </form>
    </ProjectDialog>
  )
}

function Templates(): ReactElement | null {
  const shown = useNewProject()
  if (!shown) return null
  return (
    <fieldset className="project-templates" aria-label="Template">
      {shown.templates.map(({ id, title, description }) => (
        <label key={id}>
          <input
            type="radio"
            name="template"
            checked={id === shown.template}
            data-testid={`new-project-template-${id}`}
            onChange={() => changeNewProject({ template: id })}
          />
          <strong>{title}</strong>
          <span className="muted">{description}</span>
        </label>
      ))}
    </fieldset>
  )
}
