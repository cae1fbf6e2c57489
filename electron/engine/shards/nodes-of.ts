import type { WorkersPlace } from '../../contract/shards'
import { CommandNodes } from './command-nodes'
import type { Nodes } from './nodes'
import { SlurmNodes } from './slurm-nodes'

/** The nodes of a place. */
export function nodesOf(place: WorkersPlace): Nodes {
  return place.kind === 'slurm' ? new SlurmNodes(place) : new CommandNodes(place)
}
