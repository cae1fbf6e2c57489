import { createRoot } from 'react-dom/client'

import 'dockview-react/dist/styles/dockview.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/dock.css'
import './styles/shell.css'
import './styles/panels.css'
import '../features/schemas/styles.css'
import './styles/pages.css'
import '../features/run/styles.css'
import '../features/graph/styles.css'
import '../features/graph/picture.css'
import '../features/gradcheck/styles.css'
import '../features/timings/styles.css'
import '../features/profile/styles.css'
import '../features/assembly/styles.css'
import '../features/export/styles.css'

import { App } from './App'
import { start } from './start'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(<App />)
void start()
