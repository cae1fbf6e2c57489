import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { gpuCheckNames } from '../../contract/gpu-check'
import type { GpuCheck, GpuCheckName, GpuReport } from '../../contract/gpu-check'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Libraries } from '../builds/libraries'
import { hostsFolder } from '../host/sandbox'
import type { Installation } from '../installation'
import type { Projects } from '../project/open-project'
import { checks } from './checks'
import type { CheckTools } from './checks'
import { gatherFacts, machineLine } from './facts'
import { cutShort, failed, skipped } from './judgement'
import type { Judgement } from './judgement'
import { copyCheckProject, GpuSession } from './session'

interface GpuServices {
  installation: Installation
  projects: Projects
  libraries: Libraries
  readKernels: CheckTools['readKernels']
  checkOperator: CheckTools['checkOperator']
}

export interface GpuCheckOptions {
  /** That all checks may take, what nvcc compiles included. */
  seconds?: number | undefined
  signal?: AbortSignal | undefined
  onStart?: (name: GpuCheckName) => void
  onCheck?: (check: GpuCheck) => void
}

/** The command takes less than a minute: it starts before these, and ends its op hosts after them. */
const usualSeconds = 55

const outOfTime =
  'Not run, because the time limit was reached. Try again: the next run is faster, because Opsmith keeps the compiled kernels.'

/** Aborted with the first of them. AbortSignal.any() is not in the Node of older Electrons. */
function firstOf(signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) first.abort()
    signal.addEventListener('abort', () => {
      first.abort()
    })
  }
  return first.signal
}

/** What comes of a check. What was found until it was cut short is no verdict; what is missing stays missing. */
async function judgementOf(
  check: () => Promise<Judgement>,
  { late, stop }: { late: AbortSignal; stop: AbortSignal },
): Promise<Judgement> {
  const judgement = await check().catch((error: unknown) => failed(String(error)))
  const { status } = judgement
  const isWhole = status === 'passed' || (status === 'skipped' && judgement !== cutShort)
  if (isWhole || !stop.aborted) return judgement
  return late.aborted ? skipped(outOfTime) : cutShort
}

/** Whether a GPU of this machine does what Opsmith takes for granted: ten checks. */
export class GpuChecks {
  constructor(private readonly services: GpuServices) {}

  /**
   * Each check is a sentence with its figures; one that cannot be made here says what is missing.
   * Errors: native/gpu_check cannot be copied or read (`io`, `project.invalid`).
   */
  async run({ seconds = usualSeconds, signal, onStart, onCheck }: GpuCheckOptions = {}): Promise<
    Result<GpuReport>
  > {
    const started = performance.now()
    const late = new AbortController()
    const timer = setTimeout(() => {
      late.abort()
    }, seconds * 1000)
    const { installation, projects, libraries, readKernels, checkOperator } = this.services
    const opened = await projects.openOwn(copyCheckProject(installation))
    if (!opened.ok) return opened
    // The checks are about nvcc and a real GPU.
    const project = opened.value.withoutVirtualGpu()
    const facts = await gatherFacts(installation, await project.toolchain())
    const stop = firstOf([late.signal, ...(signal ? [signal] : [])])
    const parts = { installation, libraries }
    const session = new GpuSession(parts, { project, facts }, stop)
    const tools = { readKernels, checkOperator, readTrace: this.readTrace }
    const made: GpuCheck[] = []
    try {
      for (const name of gpuCheckNames) {
        onStart?.(name)
        const judgement = await judgementOf(async () => await checks[name](session, tools), {
          late: late.signal,
          stop,
        })
        const { status, reason, figures } = judgement
        const check = { name, status, reason, figures }
        made.push(check)
        onCheck?.(check)
      }
    } finally {
      clearTimeout(timer)
      await session.close()
    }
    return ok({
      checks: made,
      machine: machineLine(`${os.type()} ${os.release()} ${os.arch()}`, facts),
      seconds: (performance.now() - started) / 1000,
    })
  }

  private readonly readTrace = async (
    write: (file: string) => Promise<Result<unknown>>,
  ): Promise<Result<string>> => {
    const folder = hostsFolder(this.services.installation)
    const file = path.join(folder, `gpu-trace-${process.pid}-${Date.now()}.json`)
    try {
      const written = await write(file)
      return written.ok ? ok(await fs.readFile(file, 'utf8')) : written
    } finally {
      await fs.rm(file, { force: true })
    }
  }
}
