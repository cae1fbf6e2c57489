import type { ReactElement } from 'react'

import { machineOf } from '../../electron/contract/project-place'
import { runCommand, shortcutOf, useCommands } from '../store/commands'
import { useBusy } from '../store/busy'
import { useDeviceChoices } from '../store/cuda'
import { panelFeatures } from '../store/feature'
import { inputsStore, useInputs } from '../store/inputs'
import { openPalette } from '../store/layout'
import { openProject, useProject } from '../store/project'
import { useRecent } from '../store/recent'
import { LayoutMenu } from './LayoutMenu'
import { Menu, type MenuItem } from './primitives/Menu'
import { Icon } from './primitives/Icon'
import { useLastingOverGaps } from './primitives/lasting'

export function Toolbar(): ReactElement {
  useCommands() // shortcuts are shown here
  const project = useProject((state) => state.project)
  return (
    <header>
      <div className="toolbar" role="toolbar" aria-label="Main">
        <ProjectMenu />
        {project && <DeviceChoice />}
        <button
          type="button"
          className="toolbar-button"
          disabled={project === null}
          onClick={() => runCommand('build.run')}
          data-testid="toolbar-build"
          title="Save, build, load, and refresh the panels"
        >
          <Icon name="play" /> Build <kbd>{shortcutOf('build.run')}</kbd>
        </button>
        <StopButton />
        <span className="grow" />
        {project && <LayoutMenu />}
        <button
          type="button"
          className="toolbar-button quiet"
          onClick={() => openPalette('commands')}
          data-testid="toolbar-palette"
        >
          <Icon name="search" /> Commands <kbd>{shortcutOf('go.command')}</kbd>
        </button>
      </div>
    </header>
  )
}

function StopButton(): ReactElement {
  const isBusy = useBusy()
  const lasts = useLastingOverGaps(isBusy)
  return (
    <button
      type="button"
      className="toolbar-button"
      disabled={!lasts}
      onClick={() => runCommand('work.stop')}
      data-testid="toolbar-stop"
      data-busy={isBusy}
      title="Stop all work"
    >
      <Icon name="stop" /> Stop <kbd>{shortcutOf('work.stop')}</kbd>
    </button>
  )
}

function ProjectMenu(): ReactElement {
  const project = useProject((state) => state.project)
  const others = useRecent(8)
  const machine = machineOf(project?.target ?? '')
  const command = (id: string, label: string): MenuItem => ({
    key: id,
    label,
    note: shortcutOf(id),
    run: () => runCommand(id),
  })
  const panels = (section: 'project' | 'tools'): MenuItem[] =>
    panelFeatures()
      .filter(({ panel }) => panel.menu === section && (project !== null || panel.Page))
      .map(({ id, title }) => command(`view.${id}`, title))
  return (
    <Menu
      name="Project"
      testId="toolbar-project"
      label={
        <>
          <strong>{project?.name ?? 'Opsmith'}</strong>
          {machine !== '' && <span className="muted">on {machine}</span>}
        </>
      }
      sections={[
        [
          command('project.new', 'New project …'),
          command('project.open', 'Open folder …'),
          command('project.connect', 'Connect to …'),
          ...panels('project'),
          ...(project ? [command('project.close', 'Close project')] : []),
        ],
        others.map((recent) => ({
          key: recent.name,
          label: recent.text,
          title: recent.name,
          note: recent.machine,
          run: () => void openProject(recent.name),
        })),
        panels('tools'),
      ]}
    />
  )
}

/** Where inputs are made. */
function DeviceChoice(): ReactElement {
  const device = useInputs((state) => state.device)
  const choices = useDeviceChoices(device)
  return (
    <label className="toolbar-field">
      <Icon name="chip" />
      <span>device</span>
      <select
        value={device}
        onChange={(event) => inputsStore.setState({ device: event.target.value })}
        data-testid="toolbar-device"
        title="Device of the inputs"
      >
        <option value="">as in opsmith.json</option>
        {choices.map((choice) => (
          <option key={choice.device} value={choice.device} disabled={choice.isMissing}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  )
}
