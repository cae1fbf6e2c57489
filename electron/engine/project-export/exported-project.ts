import type { Call, GradcheckEntry, Manifest } from '../../contract/manifest'
import type { ClassDetail, OperatorDetail } from '../../contract/operators'
import type { Toolchain } from '../toolchain/choose'
import type { FileTree } from './file-tree'
import type { ExportedSources } from './exported-sources'

/** A call written down: native/runtime/record.h. */
export interface RecordedCall {
  /** "call-1-my_op": its files are NAME.pt and NAME.safetensors. */
  name: string
  call: Call
  /** "my_op::my_op(x, y)" */
  text: string
  /** An operator, not a function of the program. */
  isOperator: boolean
  /** Of an operator that returns nothing: the arguments that it writes, by their places. What they hold after the call is recorded as its results. */
  written?: number[]
  archive: Buffer
  tensors: Buffer
}

export interface RecordedGradcheck {
  /** "gradcheck-1-my_op": its arguments are in NAME.pt. */
  name: string
  entry: GradcheckEntry
  /** What it is called in opsmith.json, or the call itself. */
  text: string
  archive: Buffer
}

/** A function with what it calls, saved as TorchScript: its forward takes the call's arguments. */
export interface SavedModel {
  /** "compute": its file is NAME.pt. */
  name: string
  op: string
  archive: Buffer
}

/** A call, model or gradcheck that could not be written down, so that nothing can be compared with it. */
export interface Unrecorded {
  reason: string
  /** The project's fault, and so one of its exports'; else this machine's, or TorchScript's. */
  isFault: boolean
}

/** All that exports of a project are made of; a form reads it and nothing else. */
export interface ExportedProject {
  /** Absolute; it appears in no file. */
  folder: string
  manifest: Manifest
  name: string
  toolchain: Toolchain
  sources: ExportedSources
  operators: OperatorDetail[]
  classes: ClassDetail[]
  calls: RecordedCall[]
  gradchecks: RecordedGradcheck[]
  models: SavedModel[]
  /** The program's text; "" where there is none. */
  program: string
  /** LICENSE, COPYING and NOTICE of the project, by their names. */
  licences: FileTree
  /** lib<name>.so: stripped, without a run-path. */
  library: Buffer
  /** operator_addon.node with a run-path that names no machine; undefined where there is none. */
  addon: Buffer | undefined
  /** The command that makes one where there is none. */
  addonHint?: string | undefined
  /** Calls, models and gradchecks that could not be written down. */
  unrecorded: Unrecorded[]
}

/** "2.13" of "2.13.0+cpu" */
export function minorVersion(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}

/** The description as a sentence. */
export function summaryOf(manifest: Manifest): string {
  return manifest.description ?? `PyTorch operators of ${manifest.name}`
}
