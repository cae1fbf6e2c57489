import { describe, expect, it } from 'vitest'

import { explainLostHost, RelayedHost } from '../../electron/engine/host/relayed-host'

const srun = ['srun', '--gres=gpu:1']

/** As Slurm 22 and 23 print them. */
const endings: [string, string][] = [
  [
    'slurmstepd: error: *** STEP 5.0 ON n1 CANCELLED AT 2026-11-26T15:46:02 DUE TO TIME LIMIT ***\nsrun: error: n1: task 0: Terminated\n',
    'its job reached its time limit',
  ],
  [
    'slurmstepd: error: *** STEP 5.0 ON n1 CANCELLED AT 2026-11-26T15:46:02 DUE TO PREEMPTION ***\n',
    'a job of higher priority took its place',
  ],
  ['srun: error: Node failure on n1\nsrun: Force Terminated StepId=5.0\n', 'its node failed'],
  [
    'slurmstepd: error: Detected 1 oom-kill event(s) in StepId=5.0.\nsrun: error: n1: task 0: Out Of Memory\n',
    'it used more memory than its job may use',
  ],
  [
    'srun: Force Terminated StepId=5.0\nslurmstepd: error: *** STEP 5.0 ON n1 CANCELLED AT 2026-11-26T15:46:02 ***\n',
    'its job was cancelled',
  ],
  [
    'srun: error: slurm_receive_msgs: Socket timed out\n',
    'srun ended with exit code 1 and reported: srun: error: slurm_receive_msgs: Socket timed out',
  ],
]

describe('an op host behind a launcher', () => {
  it.each(endings)('%j: %s', (words, reason) => {
    expect(explainLostHost(srun, 'n1', words, 1)).toBe(
      `The process that runs operators on node n1 is gone: ${reason}.`,
    )
  })

  it('no node: the words of the queue say why', () => {
    const words =
      'srun: error: Unable to allocate resources: Requested node configuration is not available\n'
    expect(explainLostHost(srun, '', words, 1)).toBe(
      'The process that runs operators got no node: Requested node configuration is not available.',
    )
  })

  it('a launcher that is not installed is an end with a reason', async () => {
    const launch = { entry: '/nothing/host.cjs', launcher: [], environment: {} }
    const host = new RelayedHost(
      ['/nothing/srun'],
      { program: '/nothing/cli.cjs', version: '1' },
      launch,
    )
    const lost = await new Promise<string>((resolve) => {
      host.listen({
        onMessage: () => undefined,
        onBroken: () => undefined,
        onOutput: () => undefined,
        onExit: (_code, _signal, reason = '') => resolve(reason),
      })
    })
    expect(lost).toContain('The process that runs operators got no node: srun ended')
    expect(lost).toContain('ENOENT')
  })
})
