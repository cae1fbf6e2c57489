import { useSyncExternalStore } from 'react'

import { allJobs } from './feature'

/** Whether anything runs that Stop can end. */
export function isBusy(): boolean {
  return allJobs().some((job) => job.isRunning())
}

export function useBusy(): boolean {
  return useSyncExternalStore(subscribe, isBusy)
}

export async function stopAll(): Promise<void> {
  await Promise.all(allJobs().flatMap((job) => (job.isRunning() ? [job.stop()] : [])))
}

function subscribe(listener: () => void): () => void {
  const stops = allJobs().map((job) => job.subscribe(listener))
  return () => {
    for (const stop of stops) stop()
  }
}
