import type { FollowEvent } from './follow-run'

/** What happened to workers, as a sentence. @param name of the event's shard */
export function workerNews(
  event: Extract<FollowEvent, { kind: 'submitted' | 'came' | 'died' }>,
  name = '',
): string {
  if (event.kind === 'submitted')
    return `${event.jobs} ${event.jobs === 1 ? 'worker' : 'workers'} submitted`
  if (event.kind === 'came')
    return `node ${event.facts.node}: ${event.facts.processor}, ${event.facts.cores} cores`
  const next = event.isLast ? 'the shard is not tried again' : 'the shard is tried once more'
  return `${name}: ${event.reason}; ${next}`
}
