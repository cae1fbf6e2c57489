import type { AbiReport, ExportForm } from '../../../contract/export'
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { ExportedProject } from '../exported-project'
import type { FileTree } from '../file-tree'
import type { Proof } from '../proof/proof'
import { proveAddon, proveJit, proveMake, proveNotebook } from '../proof/more-steps'
import { proveCmake, proveInstalled, provePython } from '../proof/steps'
import { proveWheel } from '../proof/wheel'
import { addonFiles } from './addon'
import { appFiles } from './app'
import { cmakeFiles } from './cmake'
import { jitFiles } from './jit'
import { libraryFiles } from './library'
import { linkFiles } from './link'
import { notebookFiles } from './notebook'
import { setuptoolsFiles } from './setuptools'
import { stableFiles } from './stable'

interface Form {
  /** What is written; an error says why this project cannot be exported so. */
  files: (project: ExportedProject, abi: AbiReport) => Result<FileTree>
  /** Builds and runs the copy, step by step. */
  prove: (proof: Proof, files: readonly string[]) => Promise<void>
}

async function provenInPython(proof: Proof, files: readonly string[]): Promise<void> {
  const { python } = proof.tools
  if (proof.has(python, 'load and call in Python')) await provePython(proof, python.path, files)
}

export const forms: Record<ExportForm, Form> = {
  library: {
    files: (project, abi) => ok(libraryFiles(project, abi)),
    prove: async (proof, files) => {
      await provenInPython(proof, files)
      await proveCmake(proof, 'cpp')
    },
  },
  cmake: {
    files: (project) => ok(cmakeFiles(project)),
    prove: async (proof) => {
      if (await proveCmake(proof, '.', true)) await proveInstalled(proof)
    },
  },
  app: {
    files: (project) => ok(appFiles(project)),
    prove: async (proof) => {
      await proveCmake(proof, '.')
    },
  },
  setuptools: { files: (project) => setuptoolsFiles(project), prove: proveWheel },
  stable: { files: stableFiles, prove: proveWheel },
  jit: { files: (project) => ok(jitFiles(project)), prove: proveJit },
  addon: { files: addonFiles, prove: proveAddon },
  notebook: { files: (project) => ok(notebookFiles(project)), prove: proveNotebook },
  link: { files: (project) => ok(linkFiles(project)), prove: proveMake },
}
