import type { AbiReport, FormChoice } from '../../contract/export'
import type { Manifest } from '../../contract/manifest'
import type { Result } from '../../contract/outcome'
import type { ExportedProject } from './exported-project'
import type { ExportedSources } from './exported-sources'
import type { FileTree } from './file-tree'
import type { Proof } from './proof/proof'
import type { ProofToolName } from './proof/tools'

/** Why a project cannot be exported in a form. */
export type FormRefusal = Pick<FormChoice, 'reason' | 'hint' | 'obstacles'>

/** One form that a project can be exported as. It is declared in a file of its own, forms/ID.ts. */
export interface Form {
  /** The name in opsmith.json, on the command line and of the folder that is written. */
  id: string
  /** The place in lists, from 1 on. */
  order: number
  /** What the form is for, in one line. */
  purpose: string
  /** What a project must have, for the reference page; "" where every project will do. */
  needs: string
  /** Tools that the proof runs; without them it is tried in part. */
  tools: readonly ProofToolName[]
  /** Its wheel works only with the torch that it was built with. So there may be a wheel for each torch. */
  wheelPerTorch?: true
  /** Why this project cannot be exported, as far as its sources tell without a build. */
  refusal?: (manifest: Manifest, sources: ExportedSources) => FormRefusal | undefined
  /** The files to write; an error says why this project cannot be exported so. The same project gives the same bytes. */
  files: (project: ExportedProject, abi: AbiReport) => Result<FileTree>
  /** Builds and runs a copy of the files, step by step. */
  prove: (proof: Proof, files: readonly string[]) => Promise<void>
}

/** A refusal for the name of a package, where that is an error. */
export function refusalOf(named: Result<string>): FormRefusal | undefined {
  return named.ok
    ? undefined
    : { reason: named.error.message, hint: named.error.hint ?? '', obstacles: [] }
}
