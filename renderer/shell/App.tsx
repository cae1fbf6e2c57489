import { useEffect, type ReactElement } from 'react'

import { featureOf } from '../store/feature'
import { useLayout } from '../store/layout'
import { nameOf, useProject } from '../store/project'
import { AskText } from './AskText'
import { ConnectDialog } from './Connect'
import { ConnectionBar } from './ConnectionBar'
import { ErrorBoundary } from './ErrorBoundary'
import { firstIn } from './keep-focus'
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
      <ConnectionBar />
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
      <ConnectDialog />
      <NewOperatorDialog />
      <TrustDialog />
    </div>
  )
}

function Page(): ReactElement {
  const page = useLayout((state) => state.page)
  const name = useProject((state) => state.project && nameOf(state.project))
  const Shown = featureOf(page)?.panel?.Page
  useEffect(() => {
    if (Shown) enterPage()
  }, [Shown])
  if (page === 'workbench' && name !== null) return <WorkbenchPage key={name} name={name} />
  if (Shown) return <Shown />
  return <div className="starting" aria-busy="true" />
}

/** A page that comes takes the keyboard, unless a dialog or the toolbar has it. */
function enterPage(): void {
  if (document.activeElement !== document.body) return
  const page = document.querySelector('main')
  const first = page?.querySelector<HTMLElement>('[data-takes-focus]') ?? (page && firstIn(page))
  first?.focus({ preventScroll: true })
}
