import { editorCommands } from '../editor/editor-commands'
import { keepCall } from '../features/run/keep-call'
import { saveAll, saveFile } from '../editor/saving'
import { benchStore } from '../features/timings/bench'
import { stopBench } from '../features/timings/bench-run'
import { buildStore, currentProblems } from '../store/build'
import { commandFor, registerCommands, type Command } from '../store/commands'
import { runDoctor } from '../store/doctor'
import { exportStore } from '../features/export/export'
import { stopExport } from '../features/export/export-run'
import { filesStore } from '../store/files'
import { gradcheckStore, isChecking } from '../features/gradcheck/gradcheck'
import { stopGradchecks } from '../features/gradcheck/gradcheck-run'
import { graphStore } from '../features/graph/graph'
import { stopGraph } from '../features/graph/graph-capture'
import { clearHostLog, restartHost } from '../store/host'
import { layoutStore, openFile, openPalette, showPanel, toolPanels } from '../store/layout'
import type { ToolPanel } from '../store/layout'
import { buildProject, cancelBuild } from '../store/loop'
import {
  isCheckingOperators,
  opcheckStore,
  stopOpchecks,
} from '../features/operator-checks/opcheck'
import { profileStore } from '../features/profile/profile'
import { stopProfile } from '../features/profile/profile-run'
import { chooseProject, closeProject, projectStore } from '../store/project'
import { runChosen, runStore, stopRun } from '../features/run/run'
import { sanitizeProject, sanitizeStore, stopSanitizing } from '../features/build/sanitize'
import { changeSettings, settingsStore } from '../store/settings'
import { exportCommands } from '../features/export/commands'
import { gradcheckCommands } from '../features/gradcheck/commands'
import { graphCommands } from '../features/graph/commands'
import { profileCommands } from '../features/profile/commands'
import { timingsCommands } from '../features/timings/commands'

const hasProject = (): boolean => projectStore.getState().project !== null
const activeFile = (): string | null => layoutStore.getState().dock?.activeFile() ?? null

/** Every action of the window, once. */
export function installCommands(): void {
  registerCommands([
    ...project,
    ...file,
    ...editorCommands(),
    ...build,
    ...run,
    ...go,
    ...walk,
    ...views(),
    ...graphCommands(),
    ...gradcheckCommands(),
    ...timingsCommands(),
    ...profileCommands(),
    ...exportCommands(),
    ...look,
    ...tools,
  ])
  // In the capture phase: the editor has meanings of its own for some of these keys.
  window.addEventListener('keydown', onKey, { capture: true })
}

function onKey(event: KeyboardEvent): void {
  const command = commandFor(event)
  if (!command || !(command.enabled?.() ?? true)) return
  event.preventDefault()
  event.stopPropagation()
  if (command.id === 'run.go') settleField()
  void command.run()
}

/** A field counts when it is left; running must see what was just typed into it. */
function settleField(): void {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  if (field.closest('.monaco-editor')) return
  field.blur()
  field.focus()
}

async function saveAndBuild(timeTrace = false): Promise<void> {
  // What could not be saved says so itself; what is on disk is built all the same.
  await saveAll()
  await buildProject(timeTrace)
}

const project: Command[] = [
  {
    id: 'project.open',
    title: 'Open folder …',
    group: 'Project',
    shortcut: 'Ctrl+O',
    run: async () => {
      await chooseProject()
    },
  },
  {
    id: 'project.samples',
    title: 'Show samples',
    group: 'Project',
    run: () => showPanel('gallery'),
  },
  {
    id: 'project.close',
    title: 'Close project',
    group: 'Project',
    enabled: hasProject,
    run: closeProject,
  },
]

const file: Command[] = [
  {
    id: 'file.save',
    title: 'Save',
    group: 'File',
    shortcut: 'Ctrl+S',
    enabled: hasProject,
    run: async () => {
      const path = activeFile()
      if (path !== null) await saveFile(path)
    },
  },
  {
    id: 'file.saveAll',
    title: 'Save all',
    group: 'File',
    shortcut: 'Ctrl+Shift+S',
    enabled: hasProject,
    run: async () => {
      const wasDirty = Object.values(filesStore.getState().files).some((item) => item.dirty)
      await saveAll()
      if (wasDirty && settingsStore.getState().settings.buildOnSave) await buildProject()
    },
  },
  {
    id: 'file.close',
    title: 'Close file',
    group: 'File',
    shortcut: 'Ctrl+W',
    enabled: () => activeFile() !== null,
    run: () => {
      const path = activeFile()
      if (path !== null) layoutStore.getState().dock?.closeFile(path)
    },
  },
]

const build: Command[] = [
  {
    id: 'build.run',
    title: 'Build',
    group: 'Build',
    shortcut: 'Ctrl+B',
    enabled: hasProject,
    run: () => saveAndBuild(),
  },
  {
    id: 'build.trace',
    title: 'Build anew and trace where the time goes',
    group: 'Build',
    enabled: hasProject,
    run: () => {
      showPanel('build', false)
      return saveAndBuild(true)
    },
  },
  {
    id: 'build.stop',
    title: 'Stop',
    group: 'Build',
    shortcut: 'Shift+F5',
    enabled: () =>
      [buildStore, runStore, graphStore, profileStore, sanitizeStore].some(
        (store) => store.getState().job !== null,
      ) ||
      benchStore.getState().work !== null ||
      exportStore.getState().work !== null ||
      isChecking(gradcheckStore.getState()) ||
      isCheckingOperators(opcheckStore.getState()),
    run: async () => {
      await Promise.all([
        cancelBuild(),
        stopRun(),
        stopGraph(),
        stopGradchecks(),
        stopOpchecks(),
        stopBench(),
        stopProfile(),
        stopExport(),
        stopSanitizing(),
      ])
    },
  },
  {
    id: 'build.sanitize',
    title: 'Build and run with ASan and UBSan',
    group: 'Build',
    enabled: hasProject,
    run: async () => {
      showPanel('build', false)
      await saveAll()
      await sanitizeProject()
    },
  },
  {
    id: 'build.onSave',
    title: 'Build on save: turn on or off',
    group: 'Build',
    run: async () => {
      await changeSettings({ buildOnSave: !settingsStore.getState().settings.buildOnSave })
    },
  },
]

const run: Command[] = [
  {
    id: 'run.go',
    title: 'Run',
    group: 'Run',
    shortcut: 'Ctrl+Enter',
    enabled: () => hasProject() && runStore.getState().op !== '',
    run: () => {
      showPanel('run', false)
      return runChosen()
    },
  },
  {
    id: 'run.keepCall',
    title: 'Keep this call in opsmith.json',
    group: 'Run',
    enabled: () => hasProject() && runStore.getState().op !== '',
    run: keepCall,
  },
  { id: 'host.restart', title: 'Restart the op host', group: 'Run', run: restartHost },
  { id: 'host.clear', title: 'Clear the host output', group: 'Run', run: clearHostLog },
]

const go: Command[] = [
  {
    id: 'go.command',
    title: 'Command palette',
    group: 'Go',
    shortcut: 'Ctrl+Shift+P',
    run: () => openPalette('commands'),
  },
  {
    id: 'go.commandF1',
    title: 'Command palette (F1)',
    group: 'Go',
    shortcut: 'F1',
    run: () => openPalette('commands'),
  },
  {
    id: 'go.file',
    title: 'Go to file …',
    group: 'Go',
    shortcut: 'Ctrl+P',
    enabled: hasProject,
    run: () => openPalette('files'),
  },
  {
    id: 'go.nextProblem',
    title: 'Next problem',
    group: 'Go',
    shortcut: 'F8',
    run: () => goToProblem(1),
  },
  {
    id: 'go.previousProblem',
    title: 'Previous problem',
    group: 'Go',
    shortcut: 'Shift+F8',
    run: () => goToProblem(-1),
  },
]

const walk: Command[] = [
  ...(['nextTab', 'nextGroup'] as const).flatMap((what) =>
    ([1, -1] as const).map((step): Command => {
      const key = what === 'nextTab' ? (step > 0 ? 'Ctrl+PageDown' : 'Ctrl+PageUp') : 'F6'
      return {
        id: `go.${what}${step > 0 ? '' : 'Back'}`,
        title: `${step > 0 ? 'Next' : 'Previous'} ${what === 'nextTab' ? 'tab' : 'group of tabs'}`,
        group: 'Go',
        shortcut: what === 'nextGroup' && step < 0 ? 'Shift+F6' : key,
        enabled: hasProject,
        run: () => layoutStore.getState().dock?.[what](step),
      }
    }),
  ),
]

let visited = -1

function goToProblem(step: 1 | -1): void {
  const places = currentProblems().filter((item) => item.file !== '' && item.line > 0)
  if (places.length === 0) return
  const from = visited < 0 && step < 0 ? 0 : visited
  visited = (from + step + places.length) % places.length
  const place = places[visited]
  if (place) openFile(place.file, place.line, Math.max(place.column, 1))
}

const viewShortcuts: Partial<Record<ToolPanel, string>> = {
  explorer: 'Ctrl+1',
  schemas: 'Ctrl+2',
  run: 'Ctrl+3',
  problems: 'Ctrl+4',
  build: 'Ctrl+5',
  'host-output': 'Ctrl+6',
  graph: 'Ctrl+7',
  gradcheck: 'Ctrl+8',
  timings: 'Ctrl+9',
  export: 'Ctrl+Shift+E',
  settings: 'Ctrl+,',
}

function views(): Command[] {
  return (Object.keys(toolPanels) as ToolPanel[]).map((tool): Command => {
    const shortcut = viewShortcuts[tool]
    return {
      id: `view.${tool}`,
      title: `Show ${toolPanels[tool]}`,
      group: 'View',
      ...(shortcut === undefined ? {} : { shortcut }),
      enabled: () => hasProject() || tool === 'doctor' || tool === 'gallery',
      run: () => showPanel(tool),
    }
  })
}

const look: Command[] = [
  {
    id: 'view.enlarge',
    title: 'Enlarge the panel, or put it back',
    group: 'View',
    shortcut: 'Ctrl+Shift+M',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.toggleEnlarged(),
  },
  {
    id: 'view.resetLayout',
    title: 'Reset the layout',
    group: 'View',
    enabled: hasProject,
    run: () => layoutStore.getState().dock?.reset(),
  },
  ...(['system', 'dark', 'light', 'contrast'] as const).map((theme): Command => {
    const name = theme === 'contrast' ? 'high contrast' : theme
    return {
      id: `view.theme.${theme}`,
      title: `Theme: ${name === 'system' ? 'as the system' : name}`,
      group: 'View',
      run: async () => {
        await changeSettings({ theme })
      },
    }
  }),
  textSize('view.larger', 'Larger text', 'Ctrl+=', (size) => size + 1),
  textSize('view.smaller', 'Smaller text', 'Ctrl+-', (size) => size - 1),
  textSize('view.normal', 'Normal text size', 'Ctrl+0', () => 13),
]

function textSize(
  id: string,
  title: string,
  shortcut: string,
  next: (size: number) => number,
): Command {
  return {
    id,
    title,
    group: 'View',
    shortcut,
    run: async () => {
      const size = next(settingsStore.getState().settings.fontSize)
      await changeSettings({ fontSize: Math.min(Math.max(size, 8), 32) })
    },
  }
}

const tools: Command[] = [
  {
    id: 'tools.doctor',
    title: 'Check the tools of this machine again',
    group: 'Tools',
    run: async () => {
      showPanel('doctor')
      await runDoctor()
    },
  },
]
