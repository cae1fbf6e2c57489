import { act, cleanup, render, screen } from '@testing-library/react'
import type { RenderResult } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'

import type { BuildAndLoad } from '../../../electron/contract/app-calls'
import { ok } from '../../../electron/contract/outcome'
import { countsBasis } from '../../../electron/contract/gpu-counts'
import { defaultSettings } from '../../../electron/contract/settings'
import { loadMonaco } from '../../../renderer/editor/monaco'
import { features } from '../../../renderer/features'
import { installCommands } from '../../../renderer/shell/commands'
import { listenToBuilds } from '../../../renderer/store/build'
import { allFeatures, featureOf, registerFeatures } from '../../../renderer/store/feature'
import { touched } from '../../../renderer/store/files'
import { listenToHost } from '../../../renderer/store/host'
import { forgetResults, listenToProject, requestBuild } from '../../../renderer/store/loop'
import { layoutStore, noteVisible } from '../../../renderer/store/layout'
import { followProblems } from '../../../renderer/store/problems'
import { openProject, projectStore } from '../../../renderer/store/project'
import { connectMain } from '../../support/main-process'
import { buildOf, folder, load, projectOf } from './answers'
import type { GivenManifest } from './answers'

/**
 * The window without its shell: features, stores, listeners and commands as the window starts them, and one panel at a
 * time. The only file of these tests that knows how the renderer is put together.
 */

/** Main as the tests of this file see it: quiet answers, which a test replaces. */
export const main = connectMain()

let isStarted = false

/** The stores listen once; what main answers changes with each test. */
function start(): void {
  if (isStarted) return
  isStarted = true
  registerFeatures(features)
  installCommands()
  listenToBuilds()
  listenToProject()
  followProblems()
  for (const feature of allFeatures()) feature.start?.()
  void listenToHost()
}

// The first one reads modules, for which Vitest's own limit of a hook is short on a busy machine.
beforeEach(async () => {
  answerQuietly()
  await loadMonaco({})
  start()
}, 60_000)

afterEach(() => {
  cleanup()
  act(() => {
    layoutStore.setState({ visible: new Set() })
    projectStore.setState(projectStore.getInitialState(), true)
    forgetResults()
  })
})

/** What a build asks for behind every panel, answered with nothing to show. */
function answerQuietly(): void {
  main.give('settings.get', defaultSettings)
  main.answer('settings.set', (change) => ok(Object.assign({}, defaultSettings, change)))
  main.give('host.state', { generation: 1, state: 'ready', libtorch: '2.13.0', pid: 100 })
  main.give('program.functions', [])
  main.give('registry.list', [])
  main.answer('tensor.release', ({ handles }) => ok({ released: handles.length }))
  main.give('gradcheck.runAll', [])
  main.give('gradcheck.history', [])
  main.give('operator.gradientFunctions', [])
  main.give('operatorCheck.entries', [])
  main.give('operatorCheck.runAll', [])
  main.give('timing.builds', [])
  main.give('timing.history', [])
  main.give('runs.list', [])
  main.give('runs.places', [])
  main.give('export.forms', [])
  main.give('trust.list', [])
  main.give('version.address', { address: '' })
  main.give('git.status', null)
  main.give('folder.list', [])
  main.give('kernels.use', {})
  main.give('kernels.occupancy', {
    occupancy: { architecture: 'sm_80', blocks: 8, warps: 64, occupancy: 1, limitedBy: ['warps'] },
    curves: { threads: [{ value: 256, blocks: 8, occupancy: 1 }], registers: [], sharedMemory: [] },
  })
  main.give('kernels.reports', {
    report: { launches: 0, accesses: 0, findings: [] },
    counts: { basis: countsBasis, launches: 0, missedAccesses: 0, kernels: [] },
  })
}

/** Opens the project with what opsmith.json says. */
export async function open(manifest: GivenManifest = {}): Promise<void> {
  main.give('project.open', projectOf(manifest))
  await act(async () => {
    await openProject(folder)
  })
}

/** Builds the project; without arguments the build is good and registers my_op::f. */
export async function build(built: BuildAndLoad = { build: buildOf(), load }): Promise<void> {
  main.give('operator.build', built)
  await act(async () => {
    await requestBuild('asked')
  })
}

/** A source is saved that no build has seen: results are older than the sources now. */
export function saveSource(): void {
  act(() => {
    touched('op.cpp')
  })
}

/** Shows the panel of the feature with this name. */
export function show(feature: string): RenderResult {
  const panel = featureOf(feature)?.panel
  if (!panel) throw new Error(`no feature ${feature} with a panel`)
  act(() => {
    noteVisible(feature, true)
  })
  return render(<panel.Panel />)
}

/** The element with this test id that is not there. */
export function expectNone(testId: string): void {
  if (screen.queryByTestId(testId)) throw new Error(`${testId} is shown`)
}
