import type { JobState } from './nodes'

/** One job, or several waiting ones of an array, as `scontrol show job --oneliner` has them. */
type Fields = Readonly<Record<string, string>>

/** `Key=value Key=value`; a value goes on until the next key. */
function fieldsOf(line: string): Fields {
  const keys = [...line.matchAll(/(?:^| )([A-Za-z][\w/:]*)=/g)]
  return Object.fromEntries(
    keys.map((match, index) => {
      const from = match.index + match[0].length
      return [match[1] ?? '', line.slice(from, keys[index + 1]?.index).trim()]
    }),
  )
}

/** "3,5-7%2" as numbers; an array has at most some thousands. */
function tasksOf(text: string): number[] {
  const [list = ''] = text.split('%')
  return list.split(',').flatMap((part) => {
    const [from = NaN, to = from] = part.split('-').map(Number)
    return Number.isInteger(from) && Number.isInteger(to)
      ? Array.from({ length: to - from + 1 }, (_, index) => from + index)
      : []
  })
}

/** A code such as "0:9": the exit code and the signal. */
function exitText(code: string): string {
  const [exit = 0, signal = 0] = code.split(':').map(Number)
  if (signal > 0) return `signal ${signal} ended it`
  return exit > 128
    ? `exit code ${exit}, which usually means signal ${exit - 128}`
    : `exit code ${exit}`
}

const onNode = (node: string): string =>
  node === '' || node === '(null)' || node === 'None assigned' ? '' : ` on node ${node}`

export interface EndedJob {
  /** As Slurm writes it: "TIMEOUT", "CANCELLED by 1000". */
  state: string
  /** Slurm's own word for why, if it has one. */
  reason: string
  exitCode: string
  node: string
  timeLimit: string
}

/** Why a job has ended, as a part of a sentence: "the job reached its time limit (00:10:00)". */
export function endReason({ state, reason, exitCode, node, timeLimit }: EndedJob): string {
  const [word = ''] = state.split(/[\s+]/)
  const place = onNode(node)
  const limit = timeLimit === '' ? '' : ` (${timeLimit})`
  const meanings: Record<string, string> = {
    COMPLETED: `the worker ended${place}`,
    TIMEOUT: `the job reached its time limit${limit}${place}`,
    OUT_OF_MEMORY: `the job used more memory than it may use${place}`,
    NODE_FAIL: `the node failed${node === '' ? '' : `: ${node}`}`,
    PREEMPTED: `a job of higher priority preempted the job${place}`,
    BOOT_FAIL: `the node did not start${node === '' ? '' : `: ${node}`}`,
    DEADLINE: 'the job reached its deadline',
    CANCELLED: `the job was cancelled${place}`,
    REVOKED: 'another cluster started the job',
  }
  const known = meanings[word]
  if (known !== undefined) return known
  const words = /^(|None|\(null\)|NonZeroExitCode|JobLaunchFailure)$/.test(reason)
    ? ''
    : ` (${reason})`
  return `the worker failed${place}: ${exitText(exitCode)}${words}`
}

const waitingStates = new Set([
  'PENDING',
  'REQUEUED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'REQUEUE_FED',
])
const workingStates = new Set([
  'RUNNING',
  'CONFIGURING',
  'COMPLETING',
  'SUSPENDED',
  'STOPPED',
  'SIGNALING',
  'STAGE_OUT',
  'RESIZING',
])

/** What the words of Slurm for why a job waits mean. */
const waitReasons: Record<string, string> = {
  Resources: 'the nodes are busy',
  Priority: 'other jobs come first',
  BeginTime: 'the earliest start time of the job is in the future',
  Dependency: 'the job depends on another job',
  ReqNodeNotAvail: 'nodes that the job needs are down or reserved',
  PartitionDown: 'the partition is down',
  PartitionTimeLimit:
    'the time limit of the job is above the limit of the partition, so the job never starts',
  QOSMaxJobsPerUserLimit: 'you have reached your limit of jobs',
  AssocGrpGRES: 'your group has reached its limit of GPUs',
  JobHeldUser: 'you put the job on hold',
  JobHeldAdmin: 'an administrator put the job on hold',
}

function waitNote({ Reason = '', StartTime = 'Unknown', Partition = '' }: Fields): string {
  const meaning = waitReasons[Reason]
  const why = meaning ?? (Reason === '' || Reason === 'None' ? 'Slurm looks for a node' : Reason)
  const start = StartTime === 'Unknown' ? '' : `; expected start ${StartTime.replace('T', ' ')}`
  return `${why}${Partition === '' ? '' : `, partition ${Partition}`}${start}`
}

/** The states of the jobs of an array, by `ARRAY_TASK`. @param text of `scontrol show job --oneliner` */
export function statesOfJobs(text: string): Map<string, JobState> {
  const states = new Map<string, JobState>()
  for (const line of text.split('\n')) {
    const fields = fieldsOf(line)
    const { ArrayJobId, ArrayTaskId = '', JobState: state = '', Restarts = '0' } = fields
    if (ArrayJobId === undefined) continue
    const [word = ''] = state.split(/[\s,+]/)
    const lives = Number(Restarts) + 1
    const one: JobState = waitingStates.has(word)
      ? // The next life has not begun.
        { kind: 'waiting', note: waitNote(fields), lives }
      : workingStates.has(word)
        ? { kind: 'running', lives }
        : {
            kind: 'ended',
            lives,
            isCancelled: word === 'CANCELLED',
            reason: endReason({
              state,
              reason: fields['Reason'] ?? '',
              exitCode: fields['ExitCode'] ?? '0:0',
              node: fields['NodeList'] ?? '',
              timeLimit: fields['TimeLimit'] ?? '',
            }),
          }
    for (const task of tasksOf(ArrayTaskId)) states.set(`${ArrayJobId}_${task}`, one)
  }
  return states
}

/** The same of jobs that scontrol has forgotten. @param text of `sacct -X -n -P -o JobID,State,ExitCode,NodeList,Timelimit` */
export function endedJobs(text: string): Map<string, JobState> {
  const states = new Map<string, JobState>()
  for (const line of text.split('\n')) {
    const [job = '', state = '', exitCode = '0:0', node = '', timeLimit = ''] = line.split('|')
    const [word = ''] = state.split(' ')
    if (!/^\d+_\d+$/.test(job) || waitingStates.has(word) || workingStates.has(word)) continue
    const reason = endReason({ state, reason: '', exitCode, node, timeLimit })
    states.set(job, { kind: 'ended', reason, lives: 1, isCancelled: word === 'CANCELLED' })
  }
  return states
}

/** Where waiting jobs are in the queue of their partition. @param text of `squeue -h -t PD -S -p,i -o "%F %P"` */
export function placesInQueue(text: string): Map<string, { place: number; length: number }> {
  const lines = text.split('\n').flatMap((line) => {
    const [job, partition] = line.trim().split(/\s+/)
    return job && partition !== undefined ? [{ job, partition }] : []
  })
  const places = new Map<string, { place: number; length: number }>()
  for (const { job, partition } of lines) {
    const queue = lines.filter((one) => one.partition === partition)
    const place = queue.findIndex((one) => one.job === job) + 1
    if (!places.has(job)) places.set(job, { place, length: queue.length })
  }
  return places
}
