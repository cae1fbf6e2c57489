import type { BuildStep } from '../../contract/build'
import type { Diagnostic } from '../../contract/diagnostics'
import type { MissingHeader } from './cxx-tasks'

/** How a build is made, and who hears of what it does. */
export interface BuildOptions {
  signal?: AbortSignal
  /** Command lines and what the compilers print, as it comes. */
  onOutput?: (text: string) => void
  onProgress?: (done: number, steps: number) => void
  /** A compiler or linker was started; `label` is the step's. Not called for what comes from the cache. */
  onStepStarted?: (kind: BuildStep['kind'], label: string) => void
  /** A step has ended; the report has its diagnostics too. Not called for a step that was stopped. */
  onStepEnded?: (step: BuildStep, diagnostics: readonly Diagnostic[]) => void
  /** What a user should know of the build besides its diagnostics; it is in the output too. */
  onRemark?: (text: string) => void
  /** Called with precompiled headers that would have served, had they been there. */
  onMissingHeaders?: (missing: readonly MissingHeader[]) => void
  /** Nobody waits for this build. */
  isBackground?: boolean
  /** Compiles and links the project's own sources again, and says where the time went. */
  timeTrace?: boolean
  /** Of sources for the virtual GPU: nvcc compiles them too, for its messages, which takes minutes with libtorch's headers. */
  withNvcc?: boolean
  /** It takes no place in the project's folder. */
  isUnpublished?: boolean
  /** What CUDA sources are compiled for, instead of the GPUs of this machine: "80", "90a". */
  cudaArchitectures?: readonly string[]
}
