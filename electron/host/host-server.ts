import { createRequire } from 'node:module'

import { hostCalls, lostConnectionCode } from '../contract/host-calls'
import type { HostCallName, HostInput, HostRequest } from '../contract/host-calls'
import { readBounds } from '../contract/sandbox'
import { errorCode } from '../contract/outcome'
import type { WorkbenchError } from '../contract/outcome'
import type { NativeAddon } from './addon'
import { channelDescriptor } from './port'
import type { HostPort } from './port'

/** What the addon rejects with; see native/binding/guard.h. */
interface NativeError extends Error {
  code?: string
  detail?: string
  hint?: string
  file?: string
  line?: number
  column?: number
}

function toWorkbenchError(error: unknown): WorkbenchError {
  if (!(error instanceof Error)) return { code: 'internal', message: String(error) }
  const native: NativeError = error
  const code = errorCode.safeParse(native.code)
  return {
    code: code.success ? code.data : 'internal',
    message: native.message,
    ...(native.detail
      ? { detail: native.detail }
      : code.success
        ? {}
        : { detail: native.stack ?? '' }),
    ...(native.hint ? { hint: native.hint } : {}),
    ...(native.file ? { file: native.file } : {}),
    ...(native.line ? { line: native.line } : {}),
    ...(native.column ? { column: native.column } : {}),
  }
}

/** An addon of another version knows other calls: each of them would fail, some late. */
function differenceInCalls(addon: NativeAddon): WorkbenchError | undefined {
  const ours = Object.keys(hostCalls)
  // An addon from before there was a table has none.
  const theirs = (addon as Partial<NativeAddon>).calls ?? []
  const missing = ours.filter((name) => !theirs.includes(name))
  const unknown = theirs.filter((name) => !ours.includes(name))
  const twice = theirs.filter((name, index) => theirs.indexOf(name) !== index)
  const differences = [
    missing.length > 0 ? `the addon lacks the calls ${missing.join(', ')}` : '',
    unknown.length > 0 ? `only the addon has the calls ${unknown.join(', ')}` : '',
    twice.length > 0 ? `the addon declares the calls ${twice.join(', ')} twice` : '',
  ].filter((text) => text !== '')
  if (differences.length === 0) return undefined
  return {
    code: 'host.unavailable',
    message: `The native addon does not fit this version of Opsmith: ${differences.join('; ')}.`,
    hint: `Rebuild the addon with "${process.env['OPSMITH_SETUP_COMMAND'] ?? 'npm run setup'}". If you changed the source of Opsmith and added a call to the addon, declare the call in electron/contract/host-calls.ts and in native/binding/calls.`,
  }
}

/** What kept the virtual GPU away, which the library that is loaded next needs. */
function installVirtualDevice(addon: NativeAddon): WorkbenchError | undefined {
  const library = process.env['OPSMITH_VIRTUAL_DEVICE'] ?? ''
  if (library === '') return undefined
  try {
    addon.installVirtualDevice(library, process.env['OPSMITH_KERNEL_VARIANT'] ?? '')
    return undefined
  } catch (error) {
    return {
      code: 'host.unavailable',
      message: `The virtual GPU cannot be used: ${toWorkbenchError(error).message}`,
      hint: 'In Doctor, choose a different CPU build of libtorch. Or set “CUDA code runs on” to “Only the GPU of this machine”: Opsmith then does not use the virtual GPU.',
    }
  }
}

/** That user code may have started and that run at one time. More is a program that forks without end. */
const mostProcesses = 256

/** Answers calls one after the other as the addon's call thread does; pings in between. */
export class HostServer {
  constructor(private readonly port: HostPort) {}

  start(): void {
    const started = performance.now()
    const addon = this.loadAddon()
    this.port.onEnd(() => {
      addon.endDescendants()
      process.exit(lostConnectionCode)
    })
    const error = differenceInCalls(addon) ?? installVirtualDevice(addon)
    if (error) {
      this.port.send({ kind: 'refused', error })
      return
    }
    this.port.onRequest((request) => {
      void this.answer(request, addon)
    })
    this.port.send({
      kind: 'ready',
      libtorch: addon.libtorchVersion,
      seconds: (performance.now() - started) / 1000,
      sandbox: readBounds(process.env['OPSMITH_SANDBOX'] ?? ''),
    })
  }

  private loadAddon(): NativeAddon {
    const file = process.env['OPSMITH_ADDON_FILE'] ?? ''
    const addon = createRequire(__filename)(file) as NativeAddon
    addon.contain(channelDescriptor)
    const report = process.env['OPSMITH_CRASH_REPORT']
    if (report) addon.installCrashReporter(report)
    addon.setLimits(Math.floor(Number(process.env['OPSMITH_MEMORY_LIMIT'] ?? 0)), mostProcesses)
    return addon
  }

  private async answer(request: HostRequest, addon: NativeAddon): Promise<void> {
    try {
      const { phase } = hostCalls[request.call]
      // The addon refuses what does not fit its own lists of fields, as native/binding/read_fields.h says.
      const input = request.input as HostInput<HostCallName>
      // TypeScript does not see that the phase is of the same call as the input.
      const doing = (phase as ((input: unknown) => string) | undefined)?.(input)
      const value = await addon.call(request.call, input, doing)
      this.port.send({ ...this.answerOf(request, addon), result: { ok: true, value } })
    } catch (error) {
      const result = { ok: false as const, error: toWorkbenchError(error) }
      this.port.send({ ...this.answerOf(request, addon), result })
    }
  }

  private answerOf(
    { id }: HostRequest,
    addon: NativeAddon,
  ): { kind: 'answer'; id: number; kernelReports?: string } {
    const kernelReports = addon.takeKernelReports()
    return { kind: 'answer', id, ...(kernelReports === '' ? {} : { kernelReports }) }
  }
}
