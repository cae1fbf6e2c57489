import { z } from 'zod'

import {
  benchComparison,
  benchLayers,
  benchSamples,
  machineCeilings,
  machineFacts,
  openedBench,
  timedCall,
} from './bench'
import { deviceCeilings, deviceFacts, replayedBench } from './bench-device'
import { gradcheckReport, gradcheckRequest } from './gradcheck'
import { captureReport, captureRequest, graphArchive, graphObservation, graphText } from './graph'
import { opcheckReport, opcheckRequest } from './opcheck'
import { loadReport, operatorDetail, operatorSummary } from './operators'
import { sanitizedReport } from './sanitize'
import { profileRequest, profileTrace } from './profile'
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
  /** Writes a call's arguments and, when it is made, its results to PATH.pt and PATH.safetensors: native/runtime/record.h. */
  'operator.record': {
    input: z.object({ request: runRequest, path: z.string(), makeCall: z.boolean() }),
    output: z.object({ results: z.number().int() }),
  },
  /** `ok` false is an answer, not an error. */
  'gradcheck.run': { input: gradcheckRequest, output: gradcheckReport },
  'opcheck.run': { input: opcheckRequest, output: opcheckReport },
  /** Makes the inputs, warms the call up and looks for what would make its timing a lie. */
  'bench.open': { input: timedCall, output: openedBench },
  'bench.sample': {
    input: z.object({ handle: z.number().int(), count: z.number().int().min(1).max(100_000) }),
    output: benchSamples,
  },
  'bench.layers': { input: z.object({ handle: z.number().int() }), output: benchLayers },
  /** On a device other than the CPU: the call replayed in a graph. */
  'bench.replay': {
    input: z.object({ handle: z.number().int(), count: z.number().int().min(1).max(10_000) }),
    output: replayedBench,
  },
  /** There too: one call's trace by libtorch's profiler, written to a file. */
  'bench.profile': {
    input: z.object({ handle: z.number().int(), path: z.string() }),
    output: z.object({ path: z.string() }),
  },
  'bench.device': { input: z.object({ device: z.string() }), output: deviceFacts },
  'bench.deviceCeilings': { input: z.object({ device: z.string() }), output: deviceCeilings },
  /** The results of the call on its inputs, written for another op host to compare with. */
  'bench.save': {
    input: z.object({ handle: z.number().int(), path: z.string() }),
    output: z.object({ path: z.string() }),
  },
  /** With another open call, or with results that were saved. */
  'bench.compare': {
    input: z.object({
      handle: z.number().int(),
      with: z.union([z.number().int(), z.string()]),
      rtol: z.number().optional(),
      atol: z.number().optional(),
    }),
    output: benchComparison,
  },
  /** Handles that are gone already are not an error. */
  'bench.close': {
    input: z.object({ handles: z.array(z.number().int()) }),
    output: z.object({ closed: z.number().int() }),
  },
  'bench.machine': { input: z.object({}), output: machineFacts },
  'bench.ceilings': {
    input: z.object({ threads: z.number().int().min(1).max(1024) }),
    output: machineCeilings,
  },
  'profile.run': { input: profileRequest, output: profileTrace },
  /** Makes sense in a host that a sanitizer watches; `checks` plays no part. */
  'opcheck.sanitized': { input: opcheckRequest, output: sanitizedReport },
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
  /** Throws away the oldest capture past a few dozen. */
  'graph.capture': { input: captureRequest, output: captureReport },
  /** `step` 0 is the graph as captured. */
  'graph.read': {
    input: z.object({ capture: z.number().int(), step: z.number().int().nonnegative() }),
    output: graphText,
  },
  /** Runs a captured step node by node on the arguments it was captured with. */
  'graph.observe': {
    input: z.object({
      capture: z.number().int(),
      step: z.number().int().nonnegative(),
      runs: z.number().int().min(1).max(100),
    }),
    output: graphObservation,
  },
  /** Captures that are gone already are not an error. */
  'graph.release': {
    input: z.object({ captures: z.array(z.number().int()) }),
    output: z.object({ released: z.number().int() }),
  },
  /** Writes a script or trace capture as a TorchScript archive that Python and C++ load. */
  'graph.save': {
    input: z.object({ capture: z.number().int(), path: z.string() }),
    output: z.object({ path: z.string(), bytes: z.number() }),
  },
  /** Looks into a TorchScript archive without running it. */
  'graph.archive': { input: z.object({ path: z.string() }), output: graphArchive },
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
