import { useMemo } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { RunReport } from '../../../electron/contract/run'
import type { TensorHandle } from '../../../electron/contract/tensor'
import { fetchPage, type FirstPage } from './tensor-pages'

/** What the viewer shows of a result. It is kept when the call is repeated. */
type Shown = {
  /** "output 0", "difference 1", "input x"; "" until there is a result. */
  key: string
  /** The shown place in each dimension before the last two; a missing one is 0. */
  index: readonly number[]
  /** The full index of an element that is marked. */
  cell: readonly number[] | null
  /** Counts how often an element was brought into view. */
  jumps: number
}

const shownStore = createStore<Shown>(() => ({
  key: '',
  index: [],
  cell: null,
  jumps: 0,
}))

/** The first page of the newest result: both appear at once. */
let firstPage: FirstPage | null = null
/** Milliseconds that a result waits for its page: the op host may have begun other work. */
const longestWait = 200

/** A tensor of a result, and the slice of it that is shown. */
export type ShownTensor = Omit<Shown, 'index'> & { index: number[]; tensor: TensorHandle | null }

export function useShown(report: RunReport): ShownTensor {
  const shown = useStore(shownStore)
  return useMemo(() => within(report, shown), [report, shown])
}

/** Shows a tensor, and brings an element of it into view. */
export function showTensor(key: string, cell: readonly number[] | null = null): void {
  shownStore.setState(({ key: before, index, jumps }) => ({
    key,
    // `cell` also has the last two dimensions, which within() ignores.
    index: cell ?? (key === before ? index : []),
    cell,
    jumps: cell === null ? jumps : jumps + 1,
  }))
}

export function showSlice(index: readonly number[]): void {
  shownStore.setState({ index })
}

/** Fetches what the viewer will show of a new result. */
export async function fetchShown(report: RunReport): Promise<void> {
  const before = shownStore.getState()
  const { key, tensor, index } = within(report, before)
  if (!tensor) return
  const first: FirstPage = { tensor, index, page: null, arrives: fetchPage(tensor.handle, index) }
  firstPage = first
  const late = new Promise((resolve) => setTimeout(resolve, longestWait))
  const arrived = first.arrives.then((page) => {
    if (!('code' in page)) first.page = page
    // The table asks again for one that could not be fetched.
    else if (firstPage === first) firstPage = null
  })
  await Promise.race([arrived, late])
  // Meanwhile, the user may have chosen another tensor, or another call.
  const isSame = firstPage === first && shownStore.getState() === before
  if (isSame && before.key !== key) shownStore.setState({ key, cell: null })
}

/** The page that came with the result, if it is of this slice. */
export function firstPageOf(tensor: TensorHandle, index: readonly number[]): FirstPage | null {
  // Another op host may give the same handle to another tensor.
  const isOfSlice = firstPage?.tensor === tensor && firstPage.index.join() === index.join()
  return isOfSlice ? firstPage : null
}

export function forgetShown(): void {
  firstPage = null
  shownStore.setState(shownStore.getInitialState(), true)
}

/** The same tensor of another result, or the first that differs, or the first. */
function within(report: RunReport, shown: Shown): ShownTensor {
  const known = tensorOf(report, shown.key)
  const key = known ? shown.key : firstKey(report)
  const tensor = known ?? tensorOf(report, key)
  const index = (tensor?.shape.slice(0, -2) ?? []).map((size, dimension) => {
    return Math.min(shown.index[dimension] ?? 0, Math.max(size - 1, 0))
  })
  return { ...shown, cell: known ? shown.cell : null, key, tensor, index }
}

function firstKey(report: RunReport): string {
  const wrong = report.comparisons.find((item) => !item.matches && item.output >= 0)
  const first = report.outputs.findIndex((value) => value.kind === 'tensor')
  return `output ${wrong?.output ?? Math.max(first, 0)}`
}

function tensorOf(report: RunReport, key: string): TensorHandle | null {
  const space = key.indexOf(' ')
  const kind = key.slice(0, space)
  const rest = key.slice(space + 1)
  if (kind === 'difference') return report.comparisons[Number(rest)]?.difference ?? null
  const value =
    kind === 'output'
      ? report.outputs[Number(rest)]
      : report.inputs.find((input) => input.name === rest)?.value
  return value?.kind === 'tensor' ? value : null
}
