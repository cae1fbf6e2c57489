import type {
  BenchComparison,
  BenchLayers,
  BenchSamples,
  MachineCeilings,
  MachineFacts,
  OpenedBench,
  TimedCall,
} from '../contract/bench'
import type { DeviceCeilings, DeviceFacts, ReplayedBench } from '../contract/bench-device'
import type { GradcheckReport, GradcheckRequest } from '../contract/gradcheck'
import type {
  CaptureReport,
  CaptureRequest,
  GraphArchive,
  GraphObservation,
  GraphText,
} from '../contract/graph'
import type { OpcheckReport, OpcheckRequest } from '../contract/opcheck'
import type { LoadReport, OperatorDetail, OperatorSummary } from '../contract/operators'
import type { ProfileRequest, ProfileTrace } from '../contract/profile'
import type { ProgramFunction, RunReport, RunRequest } from '../contract/run'
import type { SanitizedReport } from '../contract/sanitize'
import type { Histogram, PageRequest, TensorPage } from '../contract/tensor'

/**
 * The native addon, `native/binding`. Everything that touches a tensor or user code runs on one
 * thread of the addon's own (the call thread), in the order asked, and answers by a promise, so the
 * host's event loop stays free to answer pings.
 *
 * A rejection is an Error whose `code` is one of contract's error codes, with optional `detail`,
 * `hint`, `file`, `line` and `column`; see native/binding/guard.h.
 */
export interface NativeAddon {
  /** "2.13.0" */
  readonly libtorchVersion: string
  /**
   * Installs the signal, terminate and exit handlers. On a crash they write `reportPath`:
   * see native/runtime/crash_report.h for the format.
   */
  installCrashReporter(reportPath: string): void
  /** Ends the process with the reason "memory" once its resident set passes this; 0 turns it off. */
  setMemoryLimit(bytes: number): void
  /** What the host is doing, for the crash report: "call my_op::f". "" when idle. */
  setPhase(phase: string): void
  /** Asks the call thread for its stack, written to the report as reason "dump". False when idle. */
  dumpStack(): boolean
  /** Seconds the running call has taken; 0 when idle. */
  busySeconds(): number

  loadLibrary(path: string): Promise<LoadReport>
  unloadLibrary(): Promise<{ unloaded: boolean; reason: string }>
  listOperators(): Promise<OperatorSummary[]>
  describeOperator(name: string, overload: string): Promise<OperatorDetail>
  programFunctions(file: string, source: string): Promise<ProgramFunction[]>
  run(request: RunRequest): Promise<RunReport>
  /** Writes PATH.pt and PATH.safetensors, see native/runtime/record.h; answers how many results there are. */
  record(request: RunRequest, path: string, makeCall: boolean): Promise<number>
  gradcheck(request: GradcheckRequest): Promise<GradcheckReport>
  opcheck(request: OpcheckRequest): Promise<OpcheckReport>

  /** An open call stays warm until it is closed or a library leaves the process. */
  openBench(request: TimedCall): Promise<OpenedBench>
  sampleBench(handle: number, count: number): Promise<BenchSamples>
  benchLayers(handle: number): Promise<BenchLayers>
  replayBench(handle: number, count: number): Promise<ReplayedBench>
  profileBench(handle: number, path: string): Promise<number>
  /** Says in `missing` what cannot be known of a device that is not there. */
  device(name: string): Promise<DeviceFacts>
  deviceCeilings(name: string): Promise<DeviceCeilings>
  saveBench(handle: number, path: string): Promise<number>
  compareBench(
    handle: number,
    other: number | string,
    tolerances: { rtol?: number | undefined; atol?: number | undefined },
  ): Promise<BenchComparison>
  closeBench(handles: number[]): Promise<number>
  machine(): Promise<MachineFacts>
  /** Takes a second or two. */
  ceilings(threads: number): Promise<MachineCeilings>

  profile(request: ProfileRequest): Promise<ProfileTrace>

  /** What a call writes to stderr goes to the file `logs`/PROCESS. */
  sanitizedCalls(request: OpcheckRequest, logs: string): Promise<SanitizedReport>
  page(request: PageRequest): Promise<TensorPage>
  histogram(handle: number, bins: number): Promise<Histogram>
  release(handles: number[]): Promise<number>

  /** The capture is kept for the calls below until it is released or a library leaves the process. */
  captureGraph(request: CaptureRequest): Promise<CaptureReport>
  readGraph(capture: number, step: number): Promise<GraphText>
  observeGraph(capture: number, step: number, runs: number): Promise<GraphObservation>
  releaseGraphs(captures: number[]): Promise<number>
  /** Answers the size of the archive in bytes. */
  saveGraph(capture: number, path: string): Promise<number>
  describeArchive(path: string): Promise<GraphArchive>
}
