import type { SourcePlace } from '../../../electron/contract/gpu-findings'
import type { Index3, StepMode } from '../../../electron/contract/gpu-stepping'
import { call, listen } from '../../bridge/bridge'
import { saveAll } from '../../editor/saving'
import { parseArgumentList } from '../../store/argument-list'
import { defaultArguments } from '../../store/default-arguments'
import { filesStore } from '../../store/files'
import { effectiveInputs } from '../../store/inputs'
import { openFile, showPanel } from '../../store/layout'
import { notify, notifyError } from '../../store/notifications'
import { currentFolder, currentManifest } from '../../store/project'
import { stepJob } from './step-job'
import { steppingStore } from './store'

/** Chooses the first call of opsmith.json where nothing is chosen. */
export function chooseFirstStepped(): void {
  if (steppingStore.getState().op !== '') return
  const op = currentManifest()?.calls[0]?.op
  if (op !== undefined) chooseStepped(op)
}

export function chooseStepped(op: string): void {
  steppingStore.setState({ op, argsText: defaultArguments(op) })
}

/** Where the cursor is, as far as that is a line of the project. */
export function cursorPlace(): SourcePlace | null {
  const { active } = filesStore.getState()
  const folder = currentFolder()
  if (!active || folder === null || !/\.(?:cuh?|h|hpp|cpp|cc)$/.test(active.path)) return null
  const file = active.path.startsWith('/') ? active.path : `${folder}/${active.path}`
  return { file, line: active.line }
}

/** Until threads come to a line: of the stopped block, else of a new call. */
export async function runToLine(place: SourcePlace, block?: Index3): Promise<void> {
  showPanel('stepping', false)
  const isOtherBlock = block !== undefined && block.join() !== steppingStore.getState().block.join()
  steppingStore.setState({ place, ...(block ? { block } : {}) })
  const { view, isMoving } = steppingStore.getState()
  if (view && !isMoving && !isOtherBlock) await go('line', place)
  else await startStepping()
}

/** The text of a command: a line, and maybe a block, as JSON. */
export async function runToNamed(named: string): Promise<void> {
  const { block, ...place } = JSON.parse(named) as SourcePlace & { block?: Index3 }
  await runToLine(place, block)
}

/** Makes the call that the fields hold, until threads of the block come to the line. */
export async function startStepping(): Promise<void> {
  chooseFirstStepped()
  const { op, argsText, block } = steppingStore.getState()
  const place = steppingStore.getState().place ?? cursorPlace()
  if (place === null) {
    notify('warning', 'Put the cursor on a line of a kernel, then choose “Run to line”.')
    return
  }
  if (op === '') {
    notify('warning', 'Choose the call that launches the kernel.')
    return
  }
  steppingStore.setState({ place })
  const inputs = effectiveInputs()
  const args = parseArgumentList(argsText, inputs)
  if (!args.ok) {
    stepJob.set({ error: args.error })
    return
  }
  // Lines are those of what is built.
  if (!(await saveAll())) return
  await stepJob.run({ call: { op, args: args.value, inputs }, place, block })
}

/** Lets the stopped block go on. */
export async function go(mode: StepMode, place?: SourcePlace): Promise<void> {
  const folder = currentFolder()
  if (folder === null || !canGo()) return
  steppingStore.setState({ isMoving: true })
  const result = await call('step.go', { folder, mode, ...(place ? { place } : {}) })
  if (result.ok) return
  steppingStore.setState({ isMoving: false })
  notifyError(result.error)
}

/** A block has stopped, and can go on. */
export function canGo(): boolean {
  const { view, isMoving } = steppingStore.getState()
  return view !== null && !isMoving
}

export async function showWarp(warp: number): Promise<void> {
  const folder = currentFolder()
  if (folder === null || !canGo()) return
  const result = await call('step.view', { folder, warp })
  if (!result.ok) notifyError(result.error)
  else if (canGo()) steppingStore.setState({ view: result.value })
}

export function listenToSteps(): void {
  listen('step.stopped', ({ folder, job, view }) => {
    if (folder !== currentFolder() || job !== stepJob.store.getState().running) return
    steppingStore.setState({ view, isMoving: false })
    if (view.place) openFile(view.place.file, view.place.line, 1, false)
  })
}
