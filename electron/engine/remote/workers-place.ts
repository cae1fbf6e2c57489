import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { WorkersChoice } from '../../contract/run-calls'
import type { Settings } from '../../contract/settings'
import type { WorkersPlace } from '../../contract/shards'
import { findOnPath } from '../toolchain/find-on-path'
import { sshHosts } from './ssh-hosts'
import { findTarget, scriptCommand } from './targets'

/** The name of this machine among targets. */
export const thisMachine = 'this machine'

type Places = Pick<Settings, 'targets' | 'clusters'>

/**
 * The workers that `--over` names: slurm, a cluster, or targets that are separated by commas.
 * @param opsmith starts this Opsmith, also on a node that shares its files
 */
export function workersPlaceOf(
  named: string,
  settings: Places,
  opsmith: string[],
): Result<WorkersPlace> {
  const cluster = Object.hasOwn(settings.clusters, named) ? settings.clusters[named] : undefined
  if (cluster || named === 'slurm')
    return ok({ kind: 'slurm', options: cluster?.sbatch ?? [], opsmith })
  const targets: Extract<WorkersPlace, { kind: 'commands' }>['targets'] = []
  const names = named.split(',').map((word) => word.trim())
  for (const name of names.filter((word) => word !== '')) {
    if (name === 'local') {
      targets.push({ name: thisMachine, command: ['sh', '-c'], isJoined: false, opsmith })
      continue
    }
    const target = findTarget(name, settings)
    if (!target.ok) {
      const known = ['slurm', 'local', ...Object.keys(settings.clusters)].join(', ')
      const { message, hint = '' } = target.error
      return err('request.invalid', message, { hint: `${hint} --over also accepts: ${known}.` })
    }
    const there = target.value.opsmith === undefined ? opsmith : [target.value.opsmith]
    targets.push({ name, ...scriptCommand(target.value), opsmith: there })
  }
  return targets.length > 0
    ? ok({ kind: 'commands', targets })
    : err('request.invalid', 'No machine is named for the workers.', {
        hint: 'Name a target or a cluster of the settings, ssh:HOST, slurm or local.',
      })
}

/** What the window offers: this machine, Slurm, clusters and targets of the settings, hosts of ~/.ssh/config. */
export async function workersChoices({ targets, clusters }: Places): Promise<WorkersChoice[]> {
  const missing = findOnPath('sbatch') === undefined ? 'this machine has no program sbatch' : ''
  const choice = (name: string, kind: WorkersChoice['kind'], why = ''): WorkersChoice => ({
    name,
    kind,
    missing: why,
  })
  const hosts = await sshHosts()
  return [
    choice('local', 'local'),
    ...(Object.hasOwn(clusters, 'slurm') ? [] : [choice('slurm', 'slurm', missing)]),
    ...Object.keys(clusters).map((name) => choice(name, 'cluster', missing)),
    ...Object.keys(targets).map((name) => choice(name, 'target')),
    ...hosts.map((host) => choice(`ssh:${host}`, 'ssh')),
  ]
}
