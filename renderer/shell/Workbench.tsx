import {
  DockviewReact,
  type DockviewReadyEvent,
  type DockviewTheme,
  type IDockviewPanelProps,
} from 'dockview-react'
import { useEffect, useState, type FunctionComponent, type ReactElement } from 'react'

import { FilePanel } from '../editor/FilePanel'
import { tabClosed } from '../editor/models'
import { AssemblyPanel } from '../features/assembly/AssemblyPanel'
import { BuildPanel } from '../features/build/BuildPanel'
import { DoctorPanel } from '../features/doctor/DoctorPanel'
import { ExplorerPanel } from '../features/explorer/ExplorerPanel'
import { ExportPanel } from '../features/export/ExportPanel'
import { GalleryPanel } from '../features/gallery/GalleryPanel'
import { GradcheckPanel } from '../features/gradcheck/GradcheckPanel'
import { GraphPanel } from '../features/graph/GraphPanel'
import { HostOutputPanel } from '../features/host-output/HostOutputPanel'
import { ProfilePanel } from '../features/profile/ProfilePanel'
import { ProblemsPanel } from '../features/problems/ProblemsPanel'
import { RunPanel } from '../features/run/RunPanel'
import { SchemasPanel } from '../features/schemas/SchemasPanel'
import { SettingsPanel } from '../features/settings/SettingsPanel'
import { TimingsPanel } from '../features/timings/TimingsPanel'
import { layoutStore, noteVisible, toolPanels, type ToolPanel } from '../store/layout'
import { isDark, useTheme } from '../store/theme'
import { createDock, filePathOf, restore } from './dock'
import { ErrorBoundary } from './ErrorBoundary'
import { saveLayoutSoon, saveLayoutsNow } from './layouts'
import { FileTab, ToolTab } from './Tabs'

const tools: Record<ToolPanel, FunctionComponent> = {
  explorer: ExplorerPanel,
  problems: ProblemsPanel,
  build: BuildPanel,
  'host-output': HostOutputPanel,
  schemas: SchemasPanel,
  run: RunPanel,
  graph: GraphPanel,
  gradcheck: GradcheckPanel,
  timings: TimingsPanel,
  profile: ProfilePanel,
  assembly: AssemblyPanel,
  export: ExportPanel,
  doctor: DoctorPanel,
  settings: SettingsPanel,
  gallery: GalleryPanel,
}

function toolComponent(name: ToolPanel): FunctionComponent<IDockviewPanelProps> {
  const Panel = tools[name]
  return function Tool({ api }: IDockviewPanelProps): ReactElement {
    useEffect(() => {
      const note = (): void => noteVisible(name, api.isVisible)
      note()
      const listener = api.onDidVisibilityChange(note)
      return () => {
        listener.dispose()
        noteVisible(name, false)
      }
    }, [api])
    return (
      <ErrorBoundary name={toolPanels[name]}>
        <Panel />
      </ErrorBoundary>
    )
  }
}

function FileComponent({ api, params }: IDockviewPanelProps<{ path: string }>): ReactElement {
  const [visible, setVisible] = useState(api.isVisible)
  useEffect(() => {
    const listener = api.onDidVisibilityChange((event) => setVisible(event.isVisible))
    return () => listener.dispose()
  }, [api])
  return (
    <ErrorBoundary name={params.path}>
      <FilePanel path={params.path} active={visible} />
    </ErrorBoundary>
  )
}

const toolNames = Object.keys(tools) as ToolPanel[]
const components: Record<string, FunctionComponent<IDockviewPanelProps>> = {
  ...Object.fromEntries(toolNames.map((name) => [name, toolComponent(name)])),
  file: FileComponent,
}
const tabComponents = { tool: ToolTab, file: FileTab }

export function Workbench({ folder }: { folder: string }): ReactElement {
  const theme = useTheme()
  const dockTheme: DockviewTheme = {
    name: 'opsmith',
    className: 'dockview-theme-opsmith',
    colorScheme: isDark(theme) ? 'dark' : 'light',
    dndTabIndicator: 'line',
    tabGroupIndicator: 'none',
  }
  const ready = ({ api }: DockviewReadyEvent): void => {
    restore(api, folder)
    layoutStore.setState({ dock: createDock(api) })
    api.onDidLayoutChange(() => saveLayoutSoon(folder, api.toJSON()))
    const followSize = (): void => layoutStore.setState({ enlarged: api.hasMaximizedGroup() })
    followSize()
    api.onDidMaximizedGroupChange(followSize)
    api.onDidRemovePanel((panel) => {
      const path = filePathOf(panel)
      if (path !== null) tabClosed(path)
    })
  }
  useEffect(() => {
    return () => {
      layoutStore.setState({ dock: null })
      void saveLayoutsNow()
    }
  }, [])
  return (
    <DockviewReact
      components={components}
      tabComponents={tabComponents}
      onReady={ready}
      theme={dockTheme}
      disableFloatingGroups
      scrollbars="native"
    />
  )
}
