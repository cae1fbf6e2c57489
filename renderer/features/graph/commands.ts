import type { GraphForm } from '../../../electron/contract/graph'
import type { Command } from '../../store/commands'
import { changeChoice, formNames, graphStore, type GraphChoice, type GraphOverlay } from './graph'
import { graphActions, type GraphActions } from './graph-actions'
import { captureGraph, showAgain } from './capture'
import { compareWithFile, openGraphFile, saveGraphModule } from './graph-files'
import { shownGraph } from './jobs'
import { showPanel } from '../../store/layout'
import { projectStore } from '../../store/project'

const hasProject = (): boolean => projectStore.getState().project !== null
const hasGraph = (): boolean => shownGraph() !== null
const hasEntry = (): boolean => hasProject() && graphStore.getState().choice.entry !== ''
const isCaptured = (): boolean => Boolean(shownGraph()?.shot.report)

/** Everything that can be done with graphs; what needs the picture brings the panel to the front. */
export function graphCommands(): Command[] {
  return [...capture, ...forms(), ...view, ...files, ...exports()]
}

function act(run: (actions: GraphActions) => void): () => void {
  return () => {
    showPanel('graph', false)
    const actions = graphActions()
    if (actions) run(actions)
  }
}

function command(
  id: string,
  title: string,
  run: Command['run'],
  enabled: () => boolean = hasGraph,
  shortcut?: string,
): Command {
  const more = shortcut === undefined ? {} : { shortcut }
  return { id: `graph.${id}`, title: `Graph: ${title}`, group: 'Graph', enabled, run, ...more }
}

const capture: Command[] = [
  command(
    'capture',
    'Capture again',
    () => {
      showPanel('graph', false)
      return captureGraph()
    },
    hasEntry,
    'Ctrl+Shift+G',
  ),
  command('clearPasses', 'Remove all passes', async () => {
    changeChoice({ passes: [], step: null })
    await captureGraph()
  }),
  command(
    'search',
    'Search',
    act((actions) => actions.search()),
  ),
  command(
    'nextHit',
    'Next hit',
    act((actions) => actions.nextHit(1)),
    hasGraph,
    'F4',
  ),
  command(
    'previousHit',
    'Previous hit',
    act((actions) => actions.nextHit(-1)),
    hasGraph,
    'Shift+F4',
  ),
  command(
    'cursor',
    'Go to the node of the cursor’s line',
    act((actions) => actions.goToCursor()),
  ),
]

function forms(): Command[] {
  const known: GraphForm[] = ['script', 'trace', 'autograd', 'executed']
  return known.map((form) =>
    command(
      form,
      formNames[form],
      () => {
        showPanel('graph', false)
        changeChoice({ form, step: null })
        return captureGraph()
      },
      hasEntry,
    ),
  )
}

const view: Command[] = [
  command(
    'fit',
    'Fit to a readable size; repeat to show the whole graph',
    act((actions) => actions.fit()),
  ),
  command(
    'foldAll',
    'Collapse all',
    act((actions) => actions.fold('all')),
  ),
  command(
    'unfoldAll',
    'Expand all',
    act((actions) => actions.fold('none')),
  ),
  command(
    'foldAlike',
    'Expand or collapse all groups that are like the selected group',
    act((actions) => actions.fold('alike')),
    () => graphActions()?.hasSelection() ?? false,
  ),
  command('constants', 'Show constants as nodes', () => {
    changeChoice({ showConstants: !graphStore.getState().choice.showConstants })
  }),
  command('beside', 'Show both compared graphs side by side', () => {
    changeChoice({ beside: !graphStore.getState().choice.beside })
  }),
  command('compareNone', 'Do not compare', () => compare({ kind: 'none' })),
  command(
    'compareAuto',
    'Compare with the previous step (for the first step: with the previous build)',
    () => compare({ kind: 'auto' }),
  ),
  command('compareScript', 'Compare with the script', () =>
    compare({ kind: 'form', form: 'script' }),
  ),
  ...(['graph', 'both', 'text'] as const).map((kind: GraphChoice['view']) =>
    command(`view.${kind}`, `View: ${kind === 'both' ? 'graph and text' : kind}`, () => {
      changeChoice({ view: kind })
    }),
  ),
  ...(['none', 'time', 'memory', 'values', 'device'] as const).map((kind: GraphOverlay) =>
    command(`overlay.${kind}`, `Overlay: ${kind}`, () => {
      showPanel('graph', false)
      changeChoice({ overlay: kind })
    }),
  ),
]

async function compare(compared: GraphChoice['compare']): Promise<void> {
  changeChoice({ compare: compared })
  await showAgain()
}

const files: Command[] = [
  // With a path as its argument, for files of the Explorer and those that are dropped.
  command('openFile', 'Open a model or a saved graph …', (path) => openGraphFile(path), hasProject),
  command('compareFile', 'Compare with a saved graph …', () => compareWithFile()),
  command('save', 'Save as a module (.pt) …', () => saveGraphModule(), isCaptured),
]

function exports(): Command[] {
  const formats = [
    ['svg', 'SVG'],
    ['png', 'PNG'],
    ['dot', 'DOT'],
    ['json', 'JSON'],
    ['text', 'text'],
  ] as const
  return formats.map(([format, name]) =>
    command(
      `export${format.charAt(0).toUpperCase()}${format.slice(1)}`,
      `Export as ${name} …`,
      async () => {
        await graphActions()?.exportAs(format)
      },
    ),
  )
}
