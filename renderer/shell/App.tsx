import type { ReactElement } from 'react'

import { DoctorPanel } from '../features/doctor/DoctorPanel'
import { Button } from './primitives/Button'
import { useLayout, layoutStore } from '../store/layout'
import { useProject } from '../store/project'
import { ErrorBoundary } from './ErrorBoundary'
import { Notifications } from './Notifications'
import { Palette } from './Palette'
import { StatusBar } from './StatusBar'
import { Toolbar } from './Toolbar'
import { Welcome } from './Welcome'
import { Workbench } from './Workbench'

export function App(): ReactElement {
  return (
    <div className="app">
      <Toolbar />
      <main className="app-main">
        <ErrorBoundary name="the window">
          <Page />
        </ErrorBoundary>
      </main>
      <StatusBar />
      <Notifications />
      <Palette />
    </div>
  )
}

function Page(): ReactElement {
  const page = useLayout((state) => state.page)
  const folder = useProject((state) => state.project?.folder ?? null)
  if (page === 'workbench' && folder !== null) return <Workbench key={folder} folder={folder} />
  if (page === 'gallery') return <Welcome />
  if (page === 'doctor') {
    return (
      <div className="doctor-page">
        <DoctorPanel />
        <div className="panel-bar">
          <Button
            onClick={() => layoutStore.setState({ page: 'gallery' })}
            testId="doctor-to-gallery"
          >
            To the samples
          </Button>
        </div>
      </div>
    )
  }
  return <div className="starting" aria-busy="true" />
}
