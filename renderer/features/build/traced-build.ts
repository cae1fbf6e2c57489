import { createStore } from 'zustand/vanilla'

import type { TimeTrace } from '../../../electron/contract/time-trace'
import { buildJob } from '../../store/build'

type Traced = {
  trace: TimeTrace
  /** Seconds; null when nothing was loaded. */
  load: number | null
  stamp: string
}

/** The last build that recorded where its time went; later ones that did not leave it as it is. */
export const tracedStore = createStore<{ traced: Traced | null }>(() => ({ traced: null }))

export function followTraces(): void {
  buildJob.store.subscribe(({ value, stamp }, before) => {
    const trace = value?.report.timeTrace
    if (!trace || trace === before.value?.report.timeTrace || stamp === null) return
    tracedStore.setState({ traced: { trace, load: value.load?.seconds ?? null, stamp } })
  })
}

export function forgetTraces(): void {
  tracedStore.setState(tracedStore.getInitialState(), true)
}
