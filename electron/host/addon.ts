import type { HostCallName, HostInput, HostOutput } from '../contract/host-calls'

/**
 * The native addon, `native/binding`. What touches a tensor or user code runs on one thread of the
 * addon's own (the call thread), in the order asked, so the host's event loop stays free to answer
 * pings.
 */
export interface NativeAddon {
  /** "2.13.0" */
  readonly libtorchVersion: string
  /** Names of the calls that it answers; compared with the contract's when the op host starts. */
  readonly calls: readonly string[]
  /**
   * Closes what the parent has left open in this process, and keeps what it starts among its descendants.
   * @param channel the descriptor of the connection to the parent, which stays
   */
  contain(channel: number): void
  /**
   * Gives libtorch the virtual GPU; before anything else is asked of it.
   * @param library absolute path of libopsmith_virtual_device.so
   * @param kernelVariant a KernelVariant: what kernels were compiled for, and so report
   * @throws where libtorch has CUDA itself, or the library does not load
   */
  installVirtualDevice(library: string, kernelVariant: string): void
  /**
   * What kernels did since the last question: a `writtenGpuReport` or `writtenCounts` a line; "" where none ran that
   * reports.
   */
  takeKernelReports(): string
  /**
   * Installs the signal, terminate and exit handlers. On a crash they write `reportPath`:
   * see native/runtime/process/crash_report.h for the format.
   */
  installCrashReporter(reportPath: string): void
  /**
   * Ends the process, and those that it started, with the reason "memory" once all of them hold more than `bytes`
   * (0: no limit), and with the reason "processes" once it has started more than `processes` that run.
   */
  setLimits(bytes: number, processes: number): void
  /** Ends the processes that this one started, and those that they started. */
  endDescendants(): void
  /**
   * Makes a call of the contract. `phase` is what a crash report says while it runs: "call my_op::f".
   *
   * What it rejects with is an Error whose `code` is one of
   * contract's error codes, with optional `detail`, `hint`, `file`, `line` and `column`; see
   * native/binding/guard.h.
   */
  call<N extends HostCallName>(name: N, input: HostInput<N>, phase?: string): Promise<HostOutput<N>>
}
