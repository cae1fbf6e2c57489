import { z } from 'zod'

import { loadReport, operatorDetail, operatorSummary } from './operators'
import { programFunction, programSource, runReport, runRequest } from './run'
import { histogram, pageRequest, tensorPage } from './tensor'

/** What the op host answers. Everything here is serialisable and every path is one on the host's machine. */
export const hostCalls = {
  'host.ping': {
    input: z.object({}),
    output: z.object({ residentBytes: z.number(), busySeconds: z.number() }),
  },
  /** Writes the stack of the running call to the crash report; false when nothing runs. */
  'host.dumpStack': { input: z.object({}), output: z.boolean() },
  'library.load': { input: z.object({ path: z.string() }), output: loadReport },
  /** `unloaded` is false, with the reason, when the library cannot leave the process. */
  'library.unload': {
    input: z.object({}),
    output: z.object({ unloaded: z.boolean(), reason: z.string() }),
  },
  'registry.list': { input: z.object({}), output: z.array(operatorSummary) },
  'registry.describe': {
    input: z.object({ name: z.string(), overload: z.string() }),
    output: operatorDetail,
  },
  'program.functions': { input: programSource, output: z.array(programFunction) },
  'operator.run': { input: runRequest, output: runReport },
  'tensor.page': { input: pageRequest, output: tensorPage },
  'tensor.histogram': {
    input: z.object({ handle: z.number().int(), bins: z.number().int().min(1).max(512) }),
    output: histogram,
  },
  /** Handles that are gone already are not an error. */
  'tensor.release': {
    input: z.object({ handles: z.array(z.number().int()) }),
    output: z.object({ released: z.number().int() }),
  },
} as const

export type HostCalls = typeof hostCalls
export type HostCallName = keyof HostCalls
export type HostInput<N extends HostCallName> = z.input<HostCalls[N]['input']>
export type HostOutput<N extends HostCallName> = z.output<HostCalls[N]['output']>

/** Parent to host. */
export type HostRequest = { id: number; call: HostCallName; input: unknown }
/** Host to parent; `ready` once, when libtorch is loaded. */
export type HostMessage =
  | { kind: 'ready'; libtorch: string; seconds: number }
  | {
      kind: 'answer'
      id: number
      result: { ok: true; value: unknown } | { ok: false; error: unknown }
    }
