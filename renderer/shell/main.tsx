import '../editor/fetch-early'

import { createRoot } from 'react-dom/client'

import 'dockview-react/dist/styles/dockview.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/dock.css'
import './styles/rail.css'
import './styles/shell.css'
import './styles/panels.css'
import './styles/pages.css'
import './styles/forms.css'
import './styles/charts.css'
import './styles/spans.css'
import './styles/split-panel.css'
import './styles/case-form.css'
import './styles/verdict.css'
import './styles/project-dialogs.css'
import './styles/connect.css'
import './styles/trust.css'

import { features } from '../features'
import { registerFeatures } from '../store/feature'
import { App } from './App'
import { start } from './start'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
registerFeatures(features)
createRoot(root).render(<App />)
void start()
