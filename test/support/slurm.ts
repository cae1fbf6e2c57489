import { execFileSync, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { freePort } from './free-port'

const programs = [
  'slurmctld',
  'slurmd',
  'munged',
  'sbatch',
  'srun',
  'scontrol',
  'scancel',
  'squeue',
]

/** Why there is no Slurm here, for the reason of a skip; "" if there is one. */
export function missingSlurm(): string {
  if (process.getuid?.() !== 0) return 'starting slurmd needs root'
  const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
  const missing = programs.filter(
    (name) => !folders.some((folder) => fs.existsSync(path.join(folder, name))),
  )
  return missing.length === 0
    ? ''
    : `${missing.join(', ')}: not installed (npm run setup -- --tests)`
}

export interface SlurmCluster {
  /** For the environment of whoever uses it: SLURM_CONF. */
  environment: Record<string, string>
  slurm(program: string, ...words: string[]): string
  /** Kills a node with all that runs on it, as a power cut does. */
  kill(node: 'n1' | 'n2'): void
  /** Starts it again. */
  start(node: 'n1' | 'n2'): Promise<void>
  stop(): Promise<void>
}

/** All that a process has started. */
function descendants(pid: number): number[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  const direct = children.stdout.split('\n').flatMap((line) => (line.trim() ? [Number(line)] : []))
  return direct.flatMap((child) => [child, ...descendants(child)])
}

/** A real Slurm of two nodes on this machine: slurmctld, two slurmd, and a munged with a key of its own. */
export async function startSlurm(folder: string): Promise<SlurmCluster> {
  fs.mkdirSync(path.join(folder, 'munge'), { recursive: true, mode: 0o755 })
  const file = (...names: string[]): string => path.join(folder, ...names)
  fs.writeFileSync(file('munge', 'key'), randomBytes(128), { mode: 0o400 })
  const host = os.hostname().split('.')[0] ?? 'localhost'
  const [control, first, second] = [await freePort(), await freePort(), await freePort()]
  const socket = file('munge', 'socket')
  fs.writeFileSync(
    file('slurm.conf'),
    `ClusterName=opsmith
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${socket}
CryptoType=crypto/munge
StateSaveLocation=${file('state')}
SlurmdSpoolDir=${file('spool-%n')}
SlurmctldPidFile=${file('slurmctld.pid')}
SlurmdPidFile=${file('slurmd-%n.pid')}
SlurmctldLogFile=${file('slurmctld.log')}
SlurmdLogFile=${file('slurmd-%n.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=20
KillWait=1
SchedulerParameters=batch_sched_delay=0,sched_interval=1
JobRequeue=1
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=${host} Port=${first} CPUs=1 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname=${host} Port=${second} CPUs=1 State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=n1,n2 PriorityTier=10 MaxTime=INFINITE State=UP
`,
  )
  const environment = { SLURM_CONF: file('slurm.conf') }
  const running = new Map<string, ChildProcess>()
  const run = (name: string, program: string, ...words: string[]): void => {
    const log = fs.openSync(file(`${name}.out`), 'a')
    const child = spawn(program, words, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...environment },
    })
    fs.closeSync(log)
    child.on('error', () => undefined)
    running.set(name, child)
  }
  const slurm = (program: string, ...words: string[]): string =>
    execFileSync(program, words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 1200; tries += 1) {
      try {
        if (isSo()) return
      } catch {
        // The controller does not answer yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`Slurm does not start: ${fs.readFileSync(file('slurmctld.out'), 'utf8')}`)
  }
  const start = async (node: 'n1' | 'n2'): Promise<void> => {
    run(node, 'slurmd', '-N', node, '-D')
    await until(() => /idle|mixed|alloc/.test(slurm('sinfo', '-h', '-n', node, '-o', '%T')))
  }
  const munge = ['key', 'pid', 'seed', 'log'].map(
    (name) => `--${name === 'log' ? 'log-file' : `${name}-file`}=${file('munge', name)}`,
  )
  run('munged', 'munged', '--force', '--foreground', `--socket=${socket}`, ...munge)
  await until(() => fs.existsSync(socket))
  run('slurmctld', 'slurmctld', '-D')
  await Promise.all([start('n1'), start('n2')])
  return {
    environment,
    slurm,
    start,
    kill: (node) => {
      const { pid } = running.get(node) ?? {}
      if (pid === undefined) return
      // A slurmstepd leaves the tree of its slurmd.
      const onNode = stepDaemons().filter((step) => nodeOf(step, folder) === node)
      for (const one of [...onNode.flatMap((step) => [...descendants(step), step]), pid])
        try {
          process.kill(one, 'SIGKILL')
        } catch {
          // It has ended.
        }
    },
    stop: async () => {
      try {
        slurm('scancel', '--state=PENDING', '-u', os.userInfo().username)
        slurm('scancel', '-u', os.userInfo().username)
      } catch {
        // It has ended already.
      }
      for (const [, child] of [...running].reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGTERM')
        await ended
      }
    },
  }
}

function stepDaemons(): number[] {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('slurmstepd')
    } catch {
      // It has ended.
      return false
    }
  })
}

/** The node of the step that a slurmstepd of this cluster runs, which its first process knows; "" for none. */
function nodeOf(step: number, cluster: string): string {
  for (const pid of descendants(step)) {
    try {
      const words = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const name = words.find((word) => word.startsWith('SLURMD_NODENAME='))
      const isOurs = words.includes(`SLURM_CONF=${path.join(cluster, 'slurm.conf')}`)
      if (name && isOurs) return name.slice('SLURMD_NODENAME='.length)
    } catch {
      // It has ended.
    }
  }
  return ''
}
