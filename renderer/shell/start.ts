import type { AppOutput } from '../../electron/contract/app-calls'
import type { Project, TrustState } from '../../electron/contract/project'
import { machineOf } from '../../electron/contract/project-place'
import { call, listen } from '../bridge/bridge'
import { compareWithDisk } from '../editor/disk-changes'
import { showDocumentsAgain } from '../editor/language/documents'
import { keepTyped, restoreDrafts, startEditor } from '../editor/session'
import { exposeTestHook } from '../editor/test-hook'
import { showEditorTheme } from '../editor/themes'
import { listenToBackground } from '../store/background'
import { buildJob, listenToBuilds } from '../store/build'
import { runCommand } from '../store/commands'
import { allFeatures, featureOf, startPage } from '../store/feature'
import { doctorJob, hasReport, lacksAddon, runDoctor } from '../store/doctor'
import {
  followResults,
  keepResultsNow,
  stopFollowing as stopFollowingResults,
} from '../store/earlier-results'
import { forgetHost, listenToHost, onCrash } from '../store/host'
import { forgetLanguage, listenToLanguage } from '../store/language'
import { resumeLeftJobs } from '../store/left-jobs'
import { layoutStore, openFile, showPanel } from '../store/layout'
import { forgetResults, listenToProject, requestBuild } from '../store/loop'
import { notify, notifyError } from '../store/notifications'
import { followProblems } from '../store/problems'
import {
  beforeLeaving,
  currentFolder,
  loadSamples,
  nameOf,
  openProject,
  openProjectsAfter,
  openRemoteProjectsWith,
  projectStore,
} from '../store/project'
import { listenToConnection, openRemoteProject } from '../store/remote'
import { loadSettings, settingsStore } from '../store/settings'
import { followTheme, isDark, type ShownTheme } from '../store/theme'
import { followTrust, isRestricted } from '../store/trust'
import { installCommands } from './commands'
import { followPlaces } from './go-back'
import { keepFocus } from './keep-focus'
import { openWanted } from './open-wanted'
import { answerRemoteQuestions } from './remote-questions'
import { showStartNews } from './start-news'
import { followChoices, followRecentCommands, loadLayouts, saveLayoutsNow } from './layouts'

/** Everything the window does at its start. */
export async function start(): Promise<void> {
  let noteFirst: () => void = () => undefined
  installCommands()
  keepFocus()
  followPlaces()
  followProject()
  followFailures()
  followTrust(takeTrust)
  beforeLeaving(keepResultsNow)
  listenToBuilds()
  listenToBackground()
  listenToProject()
  followProblems()
  void listenToLanguage()
  listenToConnection({ lost: forgetEngine, reconnected: () => void continueThere() })
  answerRemoteQuestions()
  openRemoteProjectsWith(openRemoteProject)
  // One after the other: another start may name a project while that of this one is being opened.
  let opened = new Promise<void>((resolve) => (noteFirst = resolve))
  listen('project.wanted', ({ folder, model }) => {
    opened = opened.then(() => openWanted(folder, model))
  })
  listen('command.invoked', (event) => {
    if (event.command === 'flush') void flush()
    else runCommand(event.command)
  })
  openProjectsAfter(startEditing)
  const [info] = await Promise.all([call('app.info', {}), loadSettings(), loadLayouts()])
  followRecentCommands()
  followTheme(showTheme)
  settingsStore.subscribe(({ settings }) => showTextSize(settings.fontSize))
  showTextSize(settingsStore.getState().settings.fontSize)
  void listenToHost()
  void showStartNews()
  if (!info.ok) {
    notifyError(info.error)
    showStartPage()
    noteFirst()
    return
  }
  if (info.value.tests) exposeTestHook(featureHooks())
  const isOpen = await openFirst(info.value).finally(noteFirst)
  if (!isOpen) await firstPage()
}

/** Opens what the start named. False where it named nothing, or a project that cannot be opened. */
async function openFirst({ startFolder, startModel }: AppOutput<'app.info'>): Promise<boolean> {
  if (startModel !== '') {
    await openWanted(startFolder, startModel)
    return true
  }
  return startFolder !== '' && (await openProject(startFolder))
}

/** Main closes the window when everything that is only here was written. */
async function flush(): Promise<void> {
  await keepTyped()
  await Promise.all([saveLayoutsNow(), keepResultsNow()])
  await call('app.flushed', {})
}

let editorStart: Promise<void> | undefined

/** Fetches the editor's code once, and lets every feature listen. Resolves when files can be opened. */
function startEditing(): Promise<void> {
  editorStart ??= startEditor().then(() => {
    for (const feature of allFeatures()) feature.start?.()
  })
  return editorStart
}

/** No project: the samples; where operators cannot be built here, what is missing takes their place. */
async function firstPage(): Promise<void> {
  showStartPage()
  await loadSamples()
  // The editor's code is large, and Doctor starts every compiler and Python there is: the samples are painted first.
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 }))
  await startEditing()
  await runDoctor()
  const { value: report } = doctorJob.store.getState()
  const page = report !== null && lacksAddon(report) ? 'setup' : 'doctor'
  const hasPage = featureOf(page)?.panel?.Page !== undefined
  // Unless the user has gone on meanwhile.
  const isStillThere =
    projectStore.getState().project === null &&
    layoutStore.getState().page === (startPage() ?? 'starting')
  if (report !== null && !report.ok && hasPage && isStillThere) layoutStore.setState({ page })
}

function showStartPage(): void {
  layoutStore.setState({ page: startPage() ?? 'starting' })
}

/** What each feature lets end-to-end tests ask, by the feature's name. */
function featureHooks(): Record<string, unknown> {
  return Object.fromEntries(
    allFeatures().flatMap(({ id, testHook }) => (testHook ? [[id, testHook()]] : [])),
  )
}

let stopFollowing: () => void = () => undefined

function followProject(): void {
  projectStore.subscribe((now, before) => {
    const name = now.project && nameOf(now.project)
    if (now.error !== null && now.error !== before.error && now.project !== null) {
      notifyError(now.error)
    }
    if (name === (before.project && nameOf(before.project))) return
    if (now.project?.target !== before.project?.target) leaveMachine(now.project)
    stopFollowing()
    stopFollowingResults()
    forgetResults()
    if (name !== null) stopFollowing = followChoices(name)
    document.title = titleOf(now.project)
    if (now.project === null) showStartPage()
    else void enter(now.project.folder)
  })
}

function titleOf(project: Project | null): string {
  if (project === null) return 'Opsmith'
  const machine = machineOf(project.target ?? '')
  return `${project.name}${machine === '' ? '' : ` on ${machine}`} – Opsmith`
}

/** What op hosts, clangd and tools did and are is of the machine before. */
function leaveMachine(project: Project | null): void {
  forgetEngine()
  doctorJob.reset()
  if (project === null) void runDoctor()
}

/** The engine is gone, with its op hosts and clangd. */
function forgetEngine(): void {
  forgetHost()
  forgetLanguage()
}

/** After a lost connection: another engine has the project, the editors have what was typed. */
async function continueThere(): Promise<void> {
  const folder = currentFolder()
  if (folder === null) return
  await keepTyped()
  stopFollowingResults()
  forgetResults()
  await compareWithDisk()
  if (currentFolder() !== folder || isRestricted()) return
  showDocumentsAgain()
  void followResults(folder)
  for (const feature of allFeatures()) feature.enter?.()
  await requestBuild('projectOpened')
}

async function enter(folder: string): Promise<void> {
  layoutStore.setState({ page: 'starting' })
  // Before any editor is made: the first reading of a file is where its draft comes back.
  const restored = await restoreDrafts(folder)
  if (projectStore.getState().project?.folder !== folder) return
  layoutStore.setState({ page: 'workbench' })
  for (const path of restored) openFile(path, 0, 1, false)
  if (restored.length > 0) {
    notify('info', `Unsaved changes were restored: ${restored.join(', ')}.`)
  }
  if (isRestricted()) return
  void followResults(folder)
  for (const feature of allFeatures()) feature.enter?.()
  if (projectStore.getState().project?.target) await resumeLeftJobs(folder)
  await requestBuild('projectOpened')
  // For the status bar: it starts every compiler and Python there is.
  if (!hasReport()) await runDoctor()
}

/** What was left out when the project was opened is done once it is trusted; what was made goes when it is not. */
function takeTrust(trust: TrustState): void {
  if (trust !== 'trusted') {
    stopFollowingResults()
    forgetResults()
    return
  }
  const folder = currentFolder()
  if (folder !== null) void followResults(folder)
  void runDoctor()
  for (const feature of allFeatures()) feature.enter?.()
  void requestBuild('projectOpened')
}

/** What went wrong comes to the front, without taking the keyboard from the one who types. */
function followFailures(): void {
  onCrash(() => showPanel('host-output', false))
  buildJob.store.subscribe((now, before) => {
    const { report, loadError } = now.value ?? { report: null, loadError: null }
    const failed = report?.ok === false || now.error !== null || loadError !== null
    const isNew = report !== (before.value?.report ?? null) || now.error !== before.error
    if (failed && isNew && loadError?.exit === undefined) showPanel('problems', false)
  })
}

function showTheme(theme: ShownTheme): void {
  document.documentElement.dataset['theme'] = theme
  document.documentElement.style.colorScheme = isDark(theme) ? 'dark' : 'light'
  showEditorTheme(theme)
}

function showTextSize(pixels: number): void {
  document.documentElement.style.fontSize = `${pixels}px`
}
