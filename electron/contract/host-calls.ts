import { z } from 'zod'

import {
  timingComparison,
  timingLayers,
  timingSamples,
  machineCeilings,
  machineFacts,
  openedTiming,
  timedCall,
} from './timing'
import { deviceCeilings, deviceFacts, replayedTiming } from './timing-device'
import { libtorchDevices } from './gpu-check'
import { gradcheckReport, gradcheckRequest } from './gradcheck'
import { captureReport, captureRequest, graphArchive, graphObservation, graphText } from './graph'
import { operatorCheckReport, operatorCheckRequest } from './operator-check'
import { operatorCheckDescription } from './operator-check-names'
import { loadReport, operatorDetail, operatorSummary } from './operators'
import { workbenchError } from './outcome'
import { sandboxBound } from './sandbox'
import { sanitizedReport, sanitizedRequest } from './sanitize'
import { profileRequest, profileTrace } from './profile'
import { programFunction, programSource, runReport, runRequest } from './run'
import { histogram, pageRequest, tensorPage } from './tensor'

/** One call: its input, its output, and the phase of the op host while it runs: "call my_op::f". */
function call<Input extends z.ZodType, Output extends z.ZodType>(declared: {
  input: Input
  output: Output
  /** A crash report names it. Absent of calls that are answered at once. */
  phase?: (input: z.input<Input>) => string
}): { input: Input; output: Output; phase?: (input: z.input<Input>) => string } {
  return declared
}

const fileName = (path: string): string => path.split('/').at(-1) ?? path

const nothing = z.object({})
const openTiming = z.object({ handle: z.int() })
const onDevice = z.object({ device: z.string() })
const writtenFile = z.object({ path: z.string() })

/**
 * What the op host answers. Everything here is serialisable and every path is one on the host's
 * machine. The native side of each call is in native/binding/calls, under the same name.
 */
export const hostCalls = {
  'host.ping': call({
    input: nothing,
    output: z.object({ residentBytes: z.number(), busySeconds: z.number() }),
  }),
  /** Writes the stack of the running call to the crash report; false when nothing runs. */
  'host.dumpStack': call({ input: nothing, output: z.boolean() }),
  /** How many devices libtorch sees: with one, no copy of the op host can make a backward. */
  'host.devices': call({
    input: nothing,
    output: z.object({ count: z.int() }),
    phase: () => 'looking for devices',
  }),
  'library.load': call({
    input: z.object({ path: z.string() }),
    output: loadReport,
    phase: ({ path }) => `loading ${fileName(path)}`,
  }),
  /** `unloaded` is false, with the reason, if the library cannot be unloaded. */
  'library.unload': call({
    input: nothing,
    output: z.object({ unloaded: z.boolean(), reason: z.string() }),
    phase: () => 'unloading the library',
  }),
  'registry.list': call({
    input: nothing,
    output: z.array(operatorSummary),
    phase: () => 'listing operators',
  }),
  'registry.describe': call({
    input: z.object({ name: z.string(), overload: z.string() }),
    output: operatorDetail,
    phase: ({ name }) => `describing ${name}`,
  }),
  'program.functions': call({
    input: programSource,
    output: z.array(programFunction),
    phase: ({ file }) => `compiling ${fileName(file)}`,
  }),
  'operator.run': call({
    input: runRequest,
    output: runReport,
    phase: ({ op }) => `call ${op}`,
  }),
  /**
   * Writes a call's arguments and, when it is made, its results to PATH.pt and PATH.safetensors:
   * native/runtime/record.h.
   */
  'operator.record': call({
    input: z.object({ request: runRequest, path: z.string(), makeCall: z.boolean() }),
    output: z.object({
      results: z.int(),
      /** Of an operator that returns nothing: the arguments that it writes, by their places. */
      written: z.array(z.int()).optional(),
    }),
    phase: ({ request }) => `call ${request.op}`,
  }),
  /** `ok` false is an answer, not an error. */
  'gradcheck.run': call({
    input: gradcheckRequest,
    output: gradcheckReport,
    phase: ({ op }) => `gradcheck ${op}`,
  }),
  /** All operator checks there are; `npm run generate` writes operator-checks.generated.ts from them. */
  'operatorCheck.list': call({
    input: nothing,
    output: z.array(operatorCheckDescription),
    phase: () => 'listing operator checks',
  }),
  'operatorCheck.run': call({
    input: operatorCheckRequest,
    output: operatorCheckReport,
    phase: ({ op }) => `check ${op}`,
  }),
  /** For a host with a sanitizer; `checks` is ignored. */
  'operatorCheck.sanitized': call({
    input: sanitizedRequest,
    output: sanitizedReport,
    phase: ({ op }) => `check ${op}`,
  }),
  /** Makes the inputs, warms the call up and looks for causes of a wrong time. */
  'timing.open': call({
    input: timedCall,
    output: openedTiming,
    phase: ({ op, expression }) => `timing ${expression ?? op}`,
  }),
  'timing.sample': call({
    input: openTiming.extend({ count: z.int().min(1).max(100_000) }),
    output: timingSamples,
    phase: () => 'timing the call',
  }),
  'timing.layers': call({
    input: openTiming,
    output: timingLayers,
    phase: () => 'timing the dispatcher',
  }),
  /** On a device other than the CPU: the call replayed in a graph. */
  'timing.replay': call({
    input: openTiming.extend({ count: z.int().min(1).max(10_000) }),
    output: replayedTiming,
    phase: () => 'replaying a CUDA graph',
  }),
  /** On such a device too: the trace of one call by libtorch's profiler, written to a file. */
  'timing.profile': call({
    input: openTiming.extend({ path: z.string() }),
    /** `missing`: why there may be no kernel in the trace. */
    output: writtenFile.extend({ missing: z.string() }),
    phase: () => 'profiling one call on the device',
  }),
  /** Says in `missing` what cannot be known of a device that is not there. */
  'timing.device': call({
    input: onDevice,
    output: deviceFacts,
    phase: ({ device }) => `describing ${device}`,
  }),
  'timing.deviceCeilings': call({
    input: onDevice,
    output: deviceCeilings,
    phase: () => 'measuring the device',
  }),
  /** The results of the call on its inputs, written for another op host to compare with. */
  'timing.save': call({
    input: openTiming.extend({ path: z.string() }),
    output: writtenFile,
    phase: () => 'saving results',
  }),
  /** With another open call, or with results that were saved. */
  'timing.compare': call({
    input: openTiming.extend({
      with: z.union([z.int(), z.string()]),
      rtol: z.number().optional(),
      atol: z.number().optional(),
    }),
    output: timingComparison,
    phase: () => 'comparing results',
  }),
  /** Handles that are gone already are not an error. */
  'timing.close': call({
    input: z.object({ handles: z.array(z.int()) }),
    output: z.object({ closed: z.int() }),
    phase: () => 'closing timings',
  }),
  'timing.machine': call({
    input: nothing,
    output: machineFacts,
    phase: () => 'describing the machine',
  }),
  /** Takes a second or two. */
  'timing.ceilings': call({
    input: z.object({ threads: z.int().min(1).max(1024) }),
    output: machineCeilings,
    phase: () => 'measuring the machine',
  }),
  /** What libtorch says of CUDA: its devices, and what it was built for. */
  'device.libtorch': call({
    input: nothing,
    output: libtorchDevices,
    phase: () => 'looking for devices',
  }),
  'profile.run': call({
    input: profileRequest,
    output: profileTrace,
    phase: ({ op }) => `profile ${op}`,
  }),
  'tensor.page': call({
    input: pageRequest,
    output: tensorPage,
    phase: () => 'reading a part of a tensor',
  }),
  'tensor.histogram': call({
    input: z.object({ handle: z.int(), bins: z.int().min(1).max(512) }),
    output: histogram,
    phase: () => 'making a histogram',
  }),
  /** Handles that are gone already are not an error. */
  'tensor.release': call({
    input: z.object({ handles: z.array(z.int()) }),
    output: z.object({ released: z.int() }),
    phase: () => 'releasing tensors',
  }),
  /** Throws away the oldest capture past a few dozen. */
  'graph.capture': call({
    input: captureRequest,
    output: captureReport,
    phase: ({ entry }) => `capture ${entry}`,
  }),
  /** `step` 0 is the graph as captured. */
  'graph.read': call({
    input: z.object({ capture: z.int(), step: z.int().nonnegative() }),
    output: graphText,
    phase: () => 'reading a graph',
  }),
  /** Runs a captured step node by node on the arguments it was captured with. */
  'graph.observe': call({
    input: z.object({
      capture: z.int(),
      step: z.int().nonnegative(),
      runs: z.int().min(1).max(100),
    }),
    output: graphObservation,
    phase: () => 'running the graph',
  }),
  /** Captures that are gone already are not an error. */
  'graph.release': call({
    input: z.object({ captures: z.array(z.int()) }),
    output: z.object({ released: z.int() }),
    phase: () => 'releasing graphs',
  }),
  /** Writes a script or trace capture as a TorchScript archive that Python and C++ load. */
  'graph.save': call({
    input: z.object({ capture: z.int(), path: z.string() }),
    output: z.object({ path: z.string(), bytes: z.number() }),
    phase: () => 'saving the graph',
  }),
  /** Looks into a TorchScript archive without running it. */
  'graph.archive': call({
    input: z.object({ path: z.string() }),
    output: graphArchive,
    phase: ({ path }) => `opening ${fileName(path)}`,
  }),
} as const

export type HostCalls = typeof hostCalls
export type HostCallName = keyof HostCalls
export type HostInput<N extends HostCallName> = z.input<HostCalls[N]['input']>
export type HostOutput<N extends HostCallName> = z.output<HostCalls[N]['output']>

/** The exit code of a host that lost the connection to its parent. */
export const lostConnectionCode = 70

/** Parent to host. */
export const hostRequest = z.object({
  id: z.int(),
  call: z.string().refine((name): name is HostCallName => name in hostCalls),
  input: z.unknown(),
})
export type HostRequest = z.infer<typeof hostRequest>

/** Host to parent. What an answer holds is compared with the output of its call. */
export const hostMessage = z.discriminatedUnion('kind', [
  /** Once, when libtorch is loaded. */
  z.object({
    kind: z.literal('ready'),
    libtorch: z.string(),
    seconds: z.number(),
    sandbox: z.array(sandboxBound),
  }),
  /** Instead of `ready`: the host cannot be used, and ends. */
  z.object({ kind: z.literal('refused'), error: workbenchError }),
  z.object({
    kind: z.literal('answer'),
    id: z.int(),
    result: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), value: z.unknown() }),
      z.object({ ok: z.literal(false), error: z.unknown() }),
    ]),
    /** What checked kernels did meanwhile: a `writtenGpuReport` a line. */
    kernelReports: z.string().optional(),
  }),
])
export type HostMessage = z.infer<typeof hostMessage>
