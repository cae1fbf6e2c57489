import type { ReactElement } from 'react'

import { featureOf } from '../store/feature'
import { useLayout } from '../store/layout'
import { useProject } from '../store/project'
import { AskText } from './AskText'
import { ErrorBoundary } from './ErrorBoundary'
import { NewOperatorDialog } from './NewOperator'
import { NewProjectDialog } from './NewProject'
import { Notifications } from './Notifications'
import { Palette } from './Palette'
import { ProjectImportDialog } from './ProjectImport'
import { QuestionDialog } from './QuestionDialog'
import { ReleaseNotes } from './ReleaseNotes'
import { StatusBar } from './StatusBar'
import { Toolbar } from './Toolbar'
import { TrustBanner, TrustDialog } from './Trust'
import { WorkbenchPage } from './Workbench'

export function App(): ReactElement {
  return (
    <div className="app">
      <Toolbar />
      <TrustBanner />
      <main className="app-main">
        <ErrorBoundary name="the window">
          <Page />
        </ErrorBoundary>
      </main>
      <StatusBar />
      <Notifications />
      <Palette />
      <AskText />
      <QuestionDialog />
      <ReleaseNotes />
      <ProjectImportDialog />
      <NewProjectDialog />
      <NewOperatorDialog />
      <TrustDialog />
    </div>
  )
}

function Page(): ReactElement {
  const page = useLayout((state) => state.page)
  const folder = useProject((state) => state.project?.folder ?? null)
  if (page === 'workbench' && folder !== null) return <WorkbenchPage key={folder} folder={folder} />
  const Shown = featureOf(page)?.panel?.Page
  if (Shown) return <Shown />
  return <div className="starting" aria-busy="true" />
}
