import { createRoot } from 'react-dom/client'

import 'dockview-react/dist/styles/dockview.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/dock.css'
import './styles/shell.css'
import './styles/panels.css'
import './styles/schemas.css'
import './styles/pages.css'
import './styles/run.css'
import './styles/graph.css'
import './styles/graph-picture.css'
import './styles/gradcheck.css'
import './styles/timings.css'
import './styles/profile.css'
import './styles/assembly.css'
import './styles/export.css'

import { App } from './App'
import { start } from './start'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(<App />)
void start()
