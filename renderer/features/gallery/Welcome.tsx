import type { ReactElement } from 'react'

import { Gallery } from './Gallery'
import { runCommand, shortcutOf, useCommands } from '../../store/commands'
import { useDoctor } from '../../store/doctor'
import { showPanel } from '../../store/layout'
import { openProject, useProject } from '../../store/project'
import { useRecent } from '../../store/recent'
import { Button } from '../../shell/primitives/Button'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { Icon } from '../../shell/primitives/Icon'

/** Without a project: the samples, what was open before, and whether this machine is ready. */
export function Welcome(): ReactElement {
  useCommands()
  const error = useProject((state) => state.error)
  const recent = useRecent(6)
  return (
    <div className="welcome scroll">
      <div className="welcome-inner">
        <header className="welcome-head">
          <h1>Opsmith</h1>
          <p className="muted">Write, build and inspect PyTorch operators in C++ and CUDA.</p>
          <div className="actions">
            <Button primary icon="folder" onClick={() => runCommand('project.open')}>
              Open folder <kbd>{shortcutOf('project.open')}</kbd>
            </Button>
            <Button icon="plus" onClick={() => runCommand('project.new')}>
              New project <kbd>{shortcutOf('project.new')}</kbd>
            </Button>
            <Button icon="server" onClick={() => runCommand('project.connect')}>
              Connect to …
            </Button>
            <MachineState />
          </div>
        </header>
        {error && <ErrorView error={error} testId="project-error" />}
        {recent.length > 0 && (
          <section>
            <h2>Recent projects</h2>
            <ul className="recent">
              {recent.map(({ name, text, folder, machine }, index) => (
                <li key={name}>
                  <button
                    type="button"
                    className="link"
                    data-takes-focus={index === 0 ? '' : undefined}
                    onClick={() => void openProject(name)}
                  >
                    {text}
                  </button>
                  <span className="muted ellipsis">
                    {machine !== '' && `on ${machine}: `}
                    {folder}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
        <section>
          <h2>Samples</h2>
          <p className="muted">Each sample opens as a copy that you can change.</p>
          <Gallery />
        </section>
      </div>
    </div>
  )
}

function MachineState(): ReactElement | null {
  const report = useDoctor((state) => state.value)
  if (!report) return null
  return (
    <button
      type="button"
      className={report.ok ? 'button tone-ok' : 'button tone-error'}
      onClick={() => showPanel('doctor')}
    >
      <Icon name={report.ok ? 'check' : 'error'} />
      {report.ok ? 'This machine is ready' : 'This machine is not ready'}
    </button>
  )
}
