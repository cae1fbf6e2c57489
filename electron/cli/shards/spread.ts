import readline from 'node:readline/promises'

import type { Result } from '../../contract/outcome'
import { endedShards } from '../../engine/shards/ended-shards'
import { RunFollower } from '../../engine/shards/follow-run'
import type { FollowEvent } from '../../engine/shards/follow-run'
import { workerNews } from '../../engine/shards/follow-text'
import { nodesOf } from '../../engine/shards/nodes-of'
import type { RunFolder } from '../../engine/shards/run-folder'
import type { SpreadWork } from '../../engine/shards/shard-runs'
import type { Workbench } from '../../engine/workbench'
import { endingSignals } from '../ending-signals'
import { exitCodes } from '../exit-codes'
import { releaseInterrupts } from '../interrupt'
import { printError, progress } from '../print'
import { shardKinds } from './kinds'
import type { Spread } from './options'

/** Makes a run of a verb's shards, and follows it unless the user wants to look later. */
export async function spreadOver(
  workbench: Workbench,
  spread: Spread,
  work: SpreadWork,
): Promise<number> {
  const { shardRuns, allowsSandbox } = workbench
  const { shards } = work
  const wantsJson = work.answer.format === 'json'
  const run = await shardRuns.make(work, { ...spread, allowsSandbox })
  if (!run.ok) return printError(run.error, wantsJson)
  const { id } = run.value.manifest
  progress(
    `run ${id}: ${shards.length} ${shards.length === 1 ? 'shard' : 'shards'}, in ${run.value.folder}`,
  )
  return await followAloud(run.value, { detaches: spread.detaches })
}

/** What the user wants after Ctrl+C; a process without a terminal, or whose terminal has gone, detaches. */
async function askAtInterrupt(signal: NodeJS.Signals): Promise<'detach' | 'stop' | 'continue'> {
  if (signal !== 'SIGINT' || !process.stdin.isTTY || !process.stderr.isTTY) return 'detach'
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
  const again = new AbortController()
  terminal.once('SIGINT', () => again.abort())
  try {
    const answer = await terminal.question(
      '\n[d]etach and let the run go on, [s]top the run, or [c]ontinue to wait? ',
      { signal: again.signal },
    )
    return /^s/i.test(answer) ? 'stop' : /^c/i.test(answer) ? 'continue' : 'detach'
  } catch {
    return 'detach'
  } finally {
    terminal.close()
  }
}

/** Follows a run, prints results as they come, then the answer. */
export async function followAloud(
  run: RunFolder,
  { detaches }: { detaches: boolean },
): Promise<number> {
  const { manifest } = run
  const wantsJson = manifest.answer.format === 'json'
  const detach = new AbortController()
  const printer = new ProgressPrinter(run)
  const follower = new RunFollower(run, nodesOf(manifest.place), {
    signal: detach.signal,
    onEvent: (event) => {
      printer.add(event)
      if (event.kind === 'submitted' && detaches) detach.abort()
    },
  })
  releaseInterrupts()
  let isAsking = false
  let stopping: Promise<Result<null>> | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isAsking) return
    isAsking = true
    void askAtInterrupt(signal).then((choice) => {
      isAsking = false
      if (choice === 'stop') stopping = follower.stop()
      else if (choice === 'detach') detach.abort()
    })
  }
  for (const signal of endingSignals) process.on(signal, onSignal)
  const followed = await follower.follow()
  for (const signal of endingSignals) process.off(signal, onSignal)
  await printer.ended()
  const stopped = await stopping
  if (stopped?.ok === false) return printError(stopped.error, wantsJson)
  if (!followed.ok && detach.signal.aborted) {
    progress(`the run goes on; to see its results: opsmith runs ${run.name}`)
    return detaches ? exitCodes.good : exitCodes.noAnswer
  }
  if (!followed.ok && followed.error.code !== 'cancelled')
    return printError(followed.error, wantsJson)
  if (!followed.ok) progress(`opsmith: ${followed.error.message}`)
  const code = await printAnswer(run, followed.ok ? followed.value.failed : new Map())
  return followed.ok ? code : exitCodes.noAnswer
}

/** The answer of a run, as far as it has one. @param failed shards whose workers died twice, and why */
export async function printAnswer(
  run: RunFolder,
  failed: ReadonlyMap<number, string>,
): Promise<number> {
  const kind = shardKinds[run.manifest.verb]
  if (!kind) throw new Error(`no verb ${run.manifest.verb} makes shards`)
  return await kind.print(run.manifest, await endedShards(run, failed))
}

/** A line for each event; those of results are read from their files, one after the other. */
class ProgressPrinter {
  private last: Promise<void> = Promise.resolve()

  constructor(private readonly run: RunFolder) {}

  add(event: FollowEvent): void {
    this.last = this.last.then(async () => {
      const text = await this.textOf(event)
      if (text !== '') progress(text)
    })
  }

  async ended(): Promise<void> {
    await this.last
  }

  private async textOf(event: FollowEvent): Promise<string> {
    if (event.kind === 'waiting') return event.note
    if (event.kind === 'submitted' || event.kind === 'came') return workerNews(event)
    const name = (await this.run.allShards())[event.shard]?.name ?? ''
    if (event.kind === 'died') return workerNews(event, name)
    const result = await this.run.readResult(event.shard)
    if (!result) return ''
    const { outcome, facts } = result
    const said = outcome.ok
      ? (shardKinds[this.run.manifest.verb]?.line(outcome.value) ?? '')
      : outcome.error.message
    return `${event.done} of ${event.total}: ${name}: ${said} (${facts.node})`
  }
}
