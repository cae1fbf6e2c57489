import {
  DockviewReact,
  type DockviewReadyEvent,
  type DockviewTheme,
  type IDockviewPanelProps,
} from 'dockview-react'
import { useEffect, useState, type FunctionComponent, type ReactElement } from 'react'

import { FilePanel } from '../editor/FilePanel'
import { tabClosed } from '../editor/models'
import { panelFeatures, tabFeatures } from '../store/feature'
import { layoutStore, noteVisible, openFile } from '../store/layout'
import { isDark, useTheme } from '../store/theme'
import { createDock, filePanels, filePathOf, followFiles, restore, tabComponent } from './dock'
import { ErrorBoundary } from './ErrorBoundary'
import { saveLayoutSoon, saveLayoutsNow } from './layouts'
import { PanelHelpButton } from './PanelHelpButton'
import { Rail } from './Rail'
import { FileTab, SubjectTab, ToolTab } from './Tabs'

function toolComponent(
  id: string,
  title: string,
  Panel: FunctionComponent,
): FunctionComponent<IDockviewPanelProps> {
  return function Tool({ api }: IDockviewPanelProps): ReactElement {
    // Made when the tab is first looked at: a panel that nobody opened takes no time at the start or after a build.
    const [isSeen, setSeen] = useState(api.isVisible)
    useEffect(() => {
      const note = (): void => {
        noteVisible(id, api.isVisible)
        if (api.isVisible) setSeen(true)
      }
      note()
      const listener = api.onDidVisibilityChange(note)
      return () => {
        listener.dispose()
        noteVisible(id, false)
      }
    }, [api])
    return (
      <div className="tool" data-testid={`tool-${id}`}>
        <ErrorBoundary name={title}>{isSeen && <Panel />}</ErrorBoundary>
      </div>
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
      <FilePanel path={params.path} panel={api.id} active={visible} />
    </ErrorBoundary>
  )
}

function subjectComponent(
  title: string,
  Shown: FunctionComponent<{ subject: string }>,
): FunctionComponent<IDockviewPanelProps<{ subject: string }>> {
  return function Subject({ params }: IDockviewPanelProps<{ subject: string }>): ReactElement {
    return (
      <ErrorBoundary name={title}>
        <Shown subject={params.subject} />
      </ErrorBoundary>
    )
  }
}

/** Made once: another function would be another component, and lose the state of its panel. */
let made: Record<string, FunctionComponent<IDockviewPanelProps>> | undefined

function components(): Record<string, FunctionComponent<IDockviewPanelProps>> {
  made ??= {
    ...Object.fromEntries(
      panelFeatures().map(({ id, title, panel }) => [id, toolComponent(id, title, panel.Panel)]),
    ),
    ...Object.fromEntries(
      tabFeatures().map(({ id, title, tab }) => [
        tabComponent(id),
        subjectComponent(title, tab.Tab),
      ]),
    ),
    file: FileComponent,
  }
  return made
}

const tabComponents = { tool: ToolTab, file: FileTab, tab: SubjectTab }

/** @param name of the project, under which its layout is kept */
export function WorkbenchPage({ name }: { name: string }): ReactElement {
  const theme = useTheme()
  const dockTheme: DockviewTheme = {
    name: 'opsmith',
    className: 'dockview-theme-opsmith',
    colorScheme: isDark(theme) ? 'dark' : 'light',
    dndTabIndicator: 'line',
    tabGroupIndicator: 'none',
  }
  const ready = ({ api }: DockviewReadyEvent): void => {
    followFiles(api)
    restore(api, name)
    layoutStore.setState({ dock: createDock(api) })
    api.onDidLayoutChange(() => saveLayoutSoon(name, api.toJSON()))
    const followSize = (): void => layoutStore.setState({ enlarged: api.hasMaximizedGroup() })
    followSize()
    // What the project was opened with is gone: the next keys are for its source.
    setTimeout(() => {
      const path = layoutStore.getState().dock?.activeFile() ?? null
      if (path !== null && document.activeElement === document.body) openFile(path)
    }, 0)
    api.onDidMaximizedGroupChange(followSize)
    api.onDidRemovePanel((panel) => {
      const path = filePathOf(panel)
      if (path !== null && filePanels(api, path).length === 0) tabClosed(path)
    })
  }
  useEffect(() => {
    return () => {
      layoutStore.setState({ dock: null })
      void saveLayoutsNow()
    }
  }, [])
  return (
    <div className="workbench">
      <Rail />
      <DockviewReact
        components={components()}
        tabComponents={tabComponents}
        rightHeaderActionsComponent={PanelHelpButton}
        onReady={ready}
        theme={dockTheme}
        disableFloatingGroups
        scrollbars="native"
      />
    </div>
  )
}
