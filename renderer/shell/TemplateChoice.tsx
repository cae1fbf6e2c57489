import type { ReactElement } from 'react'

import type { ProjectTemplate } from '../../electron/contract/project'

type Choice = Pick<ProjectTemplate, 'id' | 'title' | 'description'> & {
  kind?: 'template' | 'sample'
}

type Props = {
  templates: readonly Choice[]
  /** The id of the chosen one. */
  chosen: string
  testId: string
  onChoose: (id: string) => void
}

/** What a new project or operator begins as. */
export function TemplateChoice({ templates, chosen, testId, onChoose }: Props): ReactElement {
  return (
    <fieldset className="project-templates" aria-label="Template">
      {templates.map(({ id, title, description, kind }) => (
        <label key={id}>
          <input
            type="radio"
            name="template"
            checked={id === chosen}
            data-testid={`${testId}-${id}`}
            onChange={() => onChoose(id)}
          />
          <strong>{kind === 'sample' ? `Sample ${title}` : title}</strong>
          <span className="muted">{description}</span>
        </label>
      ))}
    </fieldset>
  )
}
