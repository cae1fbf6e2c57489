import { describe, expect, it } from 'vitest'

import { endedJobs, placesInQueue, statesOfJobs } from '../../electron/engine/shards/slurm-states'

/** A line of `scontrol show job --oneliner`, shortened. */
const line = (task: string, state: string, more: Record<string, string> = {}): string => {
  const fields = {
    Reason: 'None',
    Restarts: '0',
    ExitCode: '0:0',
    TimeLimit: '00:10:00',
    StartTime: 'Unknown',
    Partition: 'gpu',
    NodeList: 'n1',
    ...more,
  }
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${value}`)
  return `JobId=7 ArrayJobId=12 ArrayTaskId=${task} JobName=a b JobState=${state} ${rest.join(' ')}`
}

const reasonOf = (state: string, more: Record<string, string> = {}): string => {
  const found = statesOfJobs(line('0', state, more)).get('12_0')
  return found?.kind === 'ended' ? found.reason : 'not ended'
}

describe('what Slurm says of jobs', () => {
  it('waiting tasks of an array are one line', () => {
    const text = `${line('0', 'RUNNING')}\n${line('2-3,7%2', 'PENDING', { Reason: 'Resources', NodeList: '' })}\n`
    const states = statesOfJobs(text)
    expect([...states.keys()]).toEqual(['12_0', '12_2', '12_3', '12_7'])
    expect(states.get('12_0')).toEqual({ kind: 'running', lives: 1 })
    expect(states.get('12_7')).toEqual({
      kind: 'waiting',
      lives: 1,
      note: 'the nodes are busy, partition gpu',
    })
  })

  it.each([
    ['Priority', 'other jobs come first'],
    ['PartitionTimeLimit', 'never starts'],
    ['SomethingNew', 'SomethingNew'],
    ['None', 'Slurm looks for a node'],
  ])('a job that waits for %s says so', (reason, words) => {
    const state = statesOfJobs(line('0', 'PENDING', { Reason: reason })).get('12_0')
    expect(state?.kind === 'waiting' && state.note).toContain(words)
  })

  it('a job that starts again has another life', () => {
    const state = statesOfJobs(line('0', 'RUNNING', { Restarts: '2' })).get('12_0')
    expect(state).toEqual({ kind: 'running', lives: 3 })
  })

  it.each([
    ['TIMEOUT', {}, 'the job reached its time limit (00:10:00) on node n1'],
    ['OUT_OF_MEMORY', {}, 'the job used more memory than it may use on node n1'],
    ['NODE_FAIL', {}, 'the node failed: n1'],
    ['PREEMPTED', {}, 'a job of higher priority preempted the job on node n1'],
    ['CANCELLED', {}, 'the job was cancelled on node n1'],
    ['DEADLINE', {}, 'the job reached its deadline'],
    [
      'FAILED',
      { ExitCode: '3:0', Reason: 'NonZeroExitCode' },
      'the worker failed on node n1: exit code 3',
    ],
    ['FAILED', { ExitCode: '0:9' }, 'the worker failed on node n1: signal 9 ended it'],
    [
      'FAILED',
      { ExitCode: '137:0' },
      'the worker failed on node n1: exit code 137, which usually means signal 9',
    ],
    [
      'FAILED',
      { ExitCode: '1:0', Reason: 'RaisedSignal' },
      'the worker failed on node n1: exit code 1 (RaisedSignal)',
    ],
  ] as [string, Record<string, string>, string][])('%s %j', (state, more, reason) => {
    expect(reasonOf(state, more)).toBe(reason)
  })

  it('accounting knows jobs that the controller has forgotten', () => {
    const states = endedJobs(
      '12_0|COMPLETED|0:0|n1|00:10:00\n12_1|CANCELLED by 1000|0:0|n2|00:10:00\n12_2|RUNNING|0:0|n1|\n12|x\n',
    )
    expect(states.get('12_0')).toMatchObject({ kind: 'ended', isCancelled: false })
    expect(states.get('12_1')).toMatchObject({ isCancelled: true })
    expect([...states.keys()]).toEqual(['12_0', '12_1'])
  })

  it('the place in the queue is that of the partition', () => {
    const places = placesInQueue('9 gpu\n4 cpu\n12 gpu\n13 gpu\n')
    expect(places.get('12')).toEqual({ place: 2, length: 3 })
    expect(places.get('4')).toEqual({ place: 1, length: 1 })
  })
})
