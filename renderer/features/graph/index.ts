import { defineFeature } from '../../store/feature'
import { currentManifest } from '../../store/project'
import { graphCommands } from './commands'
import { followGraphSelection } from './editor-places'
import { openWithoutLibrary, refreshAfterInputs, refreshGraph, refreshOrder } from './capture'
import { graphStore } from './graph'
import { restoreChoice, savedChoice } from './graph-saved'
import { graphDiagnostics } from './graph-warnings'
import { GraphPanel } from './GraphPanel'
import { forgetGraph, graphJob, observeJob } from './jobs'
// The picture's rules come last: they narrow those of the bars.
import './styles.css'
import './picture.css'
import { graphTest } from './test-hook'
import { forgetView } from './view-store'

export const feature = defineFeature({
  id: 'graph',
  title: 'Graph',
  panel: {
    Panel: GraphPanel,
    icon: 'M6 1.8h4v3H6zM1.6 11.2h4v3h-4zM10.4 11.2h4v3h-4zM8 4.8v3.4M3.6 11.2V8.2h8.8v3',
    tasks: { write: 'above' },
    help: {
      about: [
        'Shows the graph of a function or an operator: scripted, traced, executed or autograd, before and after each pass. Marks what a pass changed, or, without passes, what changed since the previous build.',
        'An overlay colours the nodes by time, memory, values or device of one run.',
      ],
      keys: [
        ['Arrows', 'Move from node to node; with Shift, pan'],
        ['Enter', 'Expand or collapse a module or a block; go to the details of a node'],
        ['Escape', 'Go from the details to the graph; clear the selection'],
        ['F', 'Fit the graph to a readable size; press again to show the whole graph'],
        ['+ and -', 'Zoom, like the mouse wheel'],
        ['/', 'Search'],
      ],
    },
    area: 'right',
    order: 30,
    shortcut: 'Ctrl+7',
  },
  commands: graphCommands(),
  jobs: [graphJob, observeJob],
  problems: { stores: [graphJob.store], current: graphDiagnostics },
  refresh: { order: refreshOrder, run: refreshGraph, withoutLibrary: openWithoutLibrary },
  manifest: [{ reads: () => currentManifest()?.inputs, changed: refreshAfterInputs }],
  choice: { stores: [graphStore], read: savedChoice, restore: restoreChoice },
  start: followGraphSelection,
  forget: () => {
    forgetGraph()
    forgetView()
  },
  testHook: graphTest,
})
