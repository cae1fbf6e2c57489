import type { ReactElement } from 'react'

import type { ProjectFile } from '../../../electron/contract/project'
import { Icon } from '../../shell/primitives/Icon'
import { useProblems } from '../../store/problems'
import { projectPath, useFiles } from '../../store/files'
import { openFile } from '../../store/layout'

/** A file with its state: unsaved, and the problems of the last build in it. */
export function FileRow({ file }: { file: ProjectFile }): ReactElement {
  const dirty = useFiles((state) => state.files[file.path]?.dirty === true)
  const active = useFiles((state) => state.active?.path === file.path)
  const problems = useProblems().filter(
    (item) => item.file !== '' && projectPath(item.file).path === file.path,
  )
  const errors = problems.filter((item) => item.severity === 'error').length
  const slash = file.path.lastIndexOf('/')
  return (
    <button
      type="button"
      className={active ? 'tree-row active' : 'tree-row'}
      aria-current={active}
      title={file.path}
      onClick={() => openFile(file.path)}
      data-testid={`explorer-file-${file.path}`}
    >
      <Icon name="file" />
      <span className="ellipsis">
        {slash >= 0 && <span className="muted">{file.path.slice(0, slash + 1)}</span>}
        {file.path.slice(slash + 1)}
      </span>
      {problems.length > 0 && (
        <span className={`file-problems number ${errors > 0 ? 'tone-error' : 'tone-warning'}`}>
          <Icon
            name={errors > 0 ? 'error' : 'warning'}
            label={errors > 0 ? 'errors' : 'warnings'}
          />
          {errors > 0 ? errors : problems.length}
        </span>
      )}
      {dirty && <Icon name="dot" label="unsaved" />}
    </button>
  )
}
