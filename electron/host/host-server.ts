import { createRequire } from 'node:module'

import { hostCalls } from '../contract/host-calls'
import type { HostCallName, HostInput, HostOutput, HostRequest } from '../contract/host-calls'
import { errorCode } from '../contract/outcome'
import type { WorkbenchError } from '../contract/outcome'
import type { NativeAddon } from './addon'
import type { HostPort } from './port'

type Handlers = {
  [N in HostCallName]: (input: HostOutputOfInput<N>) => Promise<HostOutput<N>> | HostOutput<N>
}
type HostOutputOfInput<N extends HostCallName> = ReturnType<(typeof hostCalls)[N]['input']['parse']>

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

/** Answers calls one after the other as the addon's call thread does; pings in between. */
export class HostServer {
  constructor(private readonly port: HostPort) {}

  start(): void {
    const started = performance.now()
    const addon = this.loadAddon()
    const handlers = this.handlersFor(addon)
    this.port.onRequest((request) => {
      void this.answer(request, handlers)
    })
    this.port.send({
      kind: 'ready',
      libtorch: addon.libtorchVersion,
      seconds: (performance.now() - started) / 1000,
    })
  }

  private loadAddon(): NativeAddon {
    const file = process.env['OPSMITH_ADDON_FILE'] ?? ''
    const addon = createRequire(__filename)(file) as NativeAddon
    const report = process.env['OPSMITH_CRASH_REPORT']
    if (report) addon.installCrashReporter(report)
    addon.setMemoryLimit(Number(process.env['OPSMITH_MEMORY_LIMIT'] ?? 0))
    return addon
  }

  private handlersFor(addon: NativeAddon): Handlers {
    const during = async <T>(phase: string, work: () => Promise<T>): Promise<T> => {
      addon.setPhase(phase)
      try {
        return await work()
      } finally {
        addon.setPhase('')
      }
    }
    return {
      'host.ping': () => ({
        residentBytes: process.memoryUsage.rss(),
        busySeconds: addon.busySeconds(),
      }),
      'host.dumpStack': () => addon.dumpStack(),
      'library.load': async ({ path }) =>
        await during(`load ${path.split('/').at(-1) ?? path}`, () => addon.loadLibrary(path)),
      'library.unload': async () => await during('unload the library', () => addon.unloadLibrary()),
      'registry.list': async () => await addon.listOperators(),
      'registry.describe': async ({ name, overload }) =>
        await addon.describeOperator(name, overload),
      'program.functions': async ({ file, source }) => await addon.programFunctions(file, source),
      'operator.run': async (request) =>
        await during(`call ${request.op}`, () => addon.run(request)),
      'operator.record': async ({ request, path, makeCall }) => ({
        results: await during(`call ${request.op}`, () => addon.record(request, path, makeCall)),
      }),
      'gradcheck.run': async (request) =>
        await during(`gradcheck ${request.op}`, () => addon.gradcheck(request)),
      'opcheck.run': async (request) =>
        await during(`check ${request.op}`, () => addon.opcheck(request)),
      'bench.open': async (request) =>
        await during(`time ${request.expression ?? request.op}`, () => addon.openBench(request)),
      'bench.sample': async ({ handle, count }) =>
        await during('take timings', () => addon.sampleBench(handle, count)),
      'bench.layers': async ({ handle }) =>
        await during('time the dispatcher', () => addon.benchLayers(handle)),
      'bench.replay': async ({ handle, count }) =>
        await during('replay a graph', () => addon.replayBench(handle, count)),
      'bench.profile': async ({ handle, path }) => {
        await during('list kernels', () => addon.profileBench(handle, path))
        return { path }
      },
      'bench.device': async ({ device }) => await addon.device(device),
      'bench.deviceCeilings': async ({ device }) =>
        await during('measure the device', () => addon.deviceCeilings(device)),
      'bench.save': async ({ handle, path }) => {
        await addon.saveBench(handle, path)
        return { path }
      },
      'bench.compare': async ({ handle, with: other, rtol, atol }) =>
        await during('compare results', () => addon.compareBench(handle, other, { rtol, atol })),
      'bench.close': async ({ handles }) => ({ closed: await addon.closeBench(handles) }),
      'bench.machine': async () => await addon.machine(),
      'bench.ceilings': async ({ threads }) =>
        await during('measure the machine', () => addon.ceilings(threads)),
      'profile.run': async (request) =>
        await during(`profile ${request.op}`, () => addon.profile(request)),
      'opcheck.sanitized': async (request) =>
        await during(`check ${request.op}`, () =>
          addon.sanitizedCalls(request, process.env['OPSMITH_SANITIZER_LOGS'] ?? ''),
        ),
      'tensor.page': async (request) => await addon.page(request),
      'tensor.histogram': async ({ handle, bins }) => await addon.histogram(handle, bins),
      'tensor.release': async ({ handles }) => ({ released: await addon.release(handles) }),
      'graph.capture': async (request) =>
        await during(`capture ${request.entry}`, () => addon.captureGraph(request)),
      'graph.read': async ({ capture, step }) => await addon.readGraph(capture, step),
      'graph.observe': async ({ capture, step, runs }) =>
        await during('run the graph', () => addon.observeGraph(capture, step, runs)),
      'graph.release': async ({ captures }) => ({ released: await addon.releaseGraphs(captures) }),
      'graph.save': async ({ capture, path }) => ({
        path,
        bytes: await during('save the graph', () => addon.saveGraph(capture, path)),
      }),
      'graph.archive': async ({ path }) =>
        await during(`open ${path.split('/').at(-1) ?? path}`, () => addon.describeArchive(path)),
    }
  }

  private async answer(request: HostRequest, handlers: Handlers): Promise<void> {
    try {
      const shape = hostCalls[request.call]
      const input: HostInput<HostCallName> = shape.input.parse(request.input)
      const handler = handlers[request.call] as (input: unknown) => Promise<unknown>
      const value = await handler(input)
      this.port.send({ kind: 'answer', id: request.id, result: { ok: true, value } })
    } catch (error) {
      this.port.send({
        kind: 'answer',
        id: request.id,
        result: { ok: false, error: toWorkbenchError(error) },
      })
    }
  }
}
