import os from 'node:os'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { NodeFacts } from '../../contract/shards'
import { ownVersion } from '../../engine/installation'
import { workerName } from '../../engine/shards/nodes'
import { waitForNode } from '../../engine/shards/node-turn'
import { openRun } from '../../engine/shards/run-folder'
import { workOnRun } from '../../engine/shards/work-on-run'
import { buildAloud } from '../building'
import { exitCodes } from '../exit-codes'
import { interruptSignal } from '../interrupt'
import { number, readOptions, text } from '../options'
import { callerPath, printError, progress } from '../print'
import { shardKinds } from '../shards/kinds'
import type { Verb } from '../verb'
import { withWorkbench } from '../with-workbench'

const options = {
  job: text('<name>', 'name of this worker (default: the name of its Slurm job)'),
  place: number(
    '<number>',
    'number of this worker, from 0; workers with different numbers begin with different shards',
    { least: 0, isWhole: true },
  ),
}

/** This node, as people know it. */
function nodeFacts(): NodeFacts {
  const processors = os.cpus()
  return {
    node: process.env['SLURMD_NODENAME'] ?? os.hostname(),
    processor: processors[0]?.model.trim() ?? 'unknown processor',
    cores: os.availableParallelism(),
    pid: process.pid,
  }
}

/** Slurm's number of a task of an array, and how often Slurm has started it again. */
function slurmWorker(): { job: string; place: number; life: number } | undefined {
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task, SLURM_RESTART_COUNT } = process.env
  if (array === undefined || task === undefined) return undefined
  return { job: `${array}_${task}`, place: Number(task), life: Number(SLURM_RESTART_COUNT ?? 0) }
}

/** `opsmith work`: takes shards of a run until none is left. */
async function work(folder: string, job: string | undefined, place = 0): Promise<number> {
  const run = await openRun(folder)
  if (!run.ok) return printError(run.error, false)
  const { manifest } = run.value
  const kind = shardKinds[manifest.verb]
  const slurm = job === undefined ? slurmWorker() : undefined
  const name = slurm
    ? workerName(slurm.job, slurm.life)
    : workerName(job ?? `hand-${process.pid}`, 0)
  const version = (root: string): Result<null> =>
    ownVersion(root) === manifest.version && kind
      ? ok(null)
      : err(
          'target.unavailable',
          `This node has Opsmith ${ownVersion(root)}, but Opsmith ${manifest.version} started the run.`,
          { hint: 'Install the same version on all nodes.' },
        )
  return await withWorkbench(
    async (workbench) => {
      await workOnRun(run.value, {
        name,
        place: slurm?.place ?? place,
        facts: nodeFacts(),
        signal: interruptSignal(),
        ...(kind?.isAlone ? { waitForTurn: waitForNode } : {}),
        prepare: async () => {
          const same = version(workbench.installation.root)
          if (!same.ok) return same
          const built = await buildAloud(workbench, manifest.project)
          if (!built.ok || built.value.ok) return built
          return err('build.required', 'The project does not build on this node.', {
            hint: `Read the messages of the compiler in the log of the worker, in ${run.value.path('logs')}.`,
          })
        },
        perform: async (shard, signal) => {
          progress(shard.name)
          return kind
            ? await kind.perform(workbench, manifest.project, shard.work, signal)
            : err('internal', 'There are no such shards.')
        },
      })
      return exitCodes.good
    },
    { allowsSandbox: manifest.allowsSandbox },
  )
}

export const verb: Verb = {
  name: 'work',
  order: 22,
  description:
    'work on the shards (parts) of a run until none is left; --over starts this command on each node',
  argument: { name: 'folder', description: 'folder of the run', isOptional: false },
  options,
  execute: async (folder, given) => {
    const values = readOptions(options, given)
    if (!values.ok) return printError(values.error, false)
    return await work(callerPath(folder), values.value.job, values.value.place)
  },
}
