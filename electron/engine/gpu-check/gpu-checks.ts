import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { gpuCheckNames } from '../../contract/gpu-check'
import type { GpuCheck, GpuCheckName, GpuReport } from '../../contract/gpu-check'
import { ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { DeviceKernel } from '../../contract/timing-device'
import type { Libraries } from '../builds/libraries'
import { hostsFolder } from '../host/sandbox'
import type { Installation } from '../installation'
import type { Projects } from '../project/open-project'
import { checks } from './checks'
import { gatherFacts, machineLine } from './facts'
import { failed, skipped } from './judgement'
import { copyCheckProject, GpuSession } from './session'

interface GpuServices {
  installation: Installation
  projects: Projects
  libraries: Libraries
  readKernels: (trace: string) => DeviceKernel[]
}

export interface GpuCheckOptions {
  signal?: AbortSignal | undefined
  onStart?: (name: GpuCheckName) => void
  onCheck?: (check: GpuCheck) => void
}

/** Of all checks, what nvcc takes to compile left out. */
const mostSeconds = 60

/** Whether a GPU of this machine does what Opsmith takes for granted: ten checks. */
export class GpuChecks {
  constructor(private readonly services: GpuServices) {}

  /**
   * Each check is a sentence with its figures; one that cannot be made here says what is missing.
   * Errors: native/gpu_check cannot be copied or read (`io`, `project.invalid`).
   */
  async run({ signal, onStart, onCheck }: GpuCheckOptions = {}): Promise<Result<GpuReport>> {
    const started = performance.now()
    const { installation, projects, libraries, readKernels } = this.services
    const project = await projects.openOwn(copyCheckProject(installation))
    if (!project.ok) return project
    const facts = await gatherFacts(installation, await project.value.toolchain())
    const late = new AbortController()
    const stop = AbortSignal.any([late.signal, ...(signal ? [signal] : [])])
    const parts = { installation, libraries }
    const session = new GpuSession(parts, project.value, facts, stop)
    const tools = { readKernels, readTrace: this.readTrace }
    const made: GpuCheck[] = []
    let timer: NodeJS.Timeout | undefined
    try {
      for (const name of gpuCheckNames) {
        onStart?.(name)
        const judgement = stop.aborted
          ? skipped(signal?.aborted ? 'Stopped.' : `Not made: ${mostSeconds} s were over.`)
          : await checks[name](session, tools).catch((error: unknown) => failed(String(error)))
        const { status, reason, figures } = judgement
        const check = { name, status, reason, figures }
        made.push(check)
        onCheck?.(check)
        // nvcc takes as long as it takes, the first time.
        if (name === 'toolchain') {
          timer = setTimeout(() => {
            late.abort()
          }, mostSeconds * 1000)
        }
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
