import type { Result } from '../../contract/outcome'
import type { RunState } from '../../contract/run-calls'
import { openRun, RunFolder } from '../../engine/shards/run-folder'
import { ShardRuns } from '../../engine/shards/shard-runs'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, readOptions } from '../options'
import type { OptionValues } from '../options'
import { callerPath, printError, printJson, printLines } from '../print'
import { followAloud } from '../shards/spread'
import { refuse } from '../verb'
import type { Verb } from '../verb'
import { commandInstallation } from '../with-workbench'

const options = {
  stop: flag('end the jobs of the run; its results stay'),
  remove: flag('remove the run and its results'),
  json: jsonFlag,
}

/** What the phase of a run means, for people. */
function stateText({ phase, openJobs, problem, id }: RunState): string {
  if (phase === 'ended') return `ended; to see why shards failed: opsmith runs ${id}`
  if (phase === 'unknown') return `unknown: ${problem}`
  if (phase === 'working') return `${openJobs} ${openJobs === 1 ? 'job' : 'jobs'} queued or running`
  return phase === 'idle'
    ? `not finished, but no job is queued or running; to continue: opsmith runs ${id}`
    : phase
}

function stateLine(run: RunState): string {
  const { id, title, done, failed, shards } = run
  const lost = failed > 0 ? `, ${failed} failed` : ''
  const results = `${done} of ${shards} shards (parts) have a result${lost}`
  return `${id}  ${title}: ${results}; ${stateText(run)}`
}

async function list(known: ShardRuns, json: boolean): Promise<number> {
  const states: RunState[] = []
  for (const run of await known.list('')) states.push(await known.state(run))
  if (json)
    printJson({
      ok: true,
      runs: states.map((run) => {
        const { id, title, done, failed, shards, created, folder } = run
        return { id, title, state: stateText(run), done, failed, shards, created, folder }
      }),
    })
  else printLines(states.length > 0 ? states.map(stateLine) : ['There are no runs.'])
  return exitCodes.good
}

/** A run by its name, or by its folder. */
async function find(named: string, known: ShardRuns): Promise<Result<RunFolder>> {
  return named.includes('/') ? await openRun(callerPath(named)) : await known.find(named)
}

async function runs(named: string, given: OptionValues<typeof options>): Promise<number> {
  const known = new ShardRuns(commandInstallation())
  const { json } = given
  if (named === '')
    return given.stop || given.remove
      ? refuse('Name the run.', json, '`opsmith runs` lists the runs.')
      : await list(known, json)
  const found = await find(named, known)
  if (!found.ok) return printError(found.error, json)
  if (given.stop || given.remove) {
    const changed = given.stop ? await known.stop(found.value) : await known.remove(found.value)
    if (!changed.ok) return printError(changed.error, json)
    const { id } = found.value.manifest
    if (json) printJson({ ok: true, run: id })
    else if (given.stop) printLines([`run ${id} was stopped`])
    return exitCodes.good
  }
  const { folder, manifest, name } = found.value
  const answer = json ? { ...manifest.answer, format: 'json' as const } : manifest.answer
  return await followAloud(new RunFolder(folder, { ...manifest, answer }, name), {
    detaches: false,
  })
}

export const verb: Verb = {
  name: 'runs',
  order: 21,
  description: 'list the runs that --over has started, or wait for one and print its results',
  notes: [
    'If you detach from a run, its jobs go on. A later `opsmith runs ID` waits for them, and starts other jobs if these end\ntoo early. Shards (parts of the run) that have a result are not repeated. In a terminal, Ctrl+C asks whether to detach\nfrom the run, to stop it, or to continue to wait.',
  ],
  argument: { name: 'run', description: 'name or folder of a run', isOptional: true },
  options,
  execute: async (named, given) => {
    const values = readOptions(options, given)
    return values.ok
      ? await runs(named, values.value)
      : printError(values.error, given['json'] === true)
  },
}
