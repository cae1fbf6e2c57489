import type { AbiReport, ExportForm } from '../../../contract/export'
import { ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { ExportedProject } from '../exported-project'
import type { FileTree } from '../file-tree'
import type { Proof } from '../proof/proof'
import { proveCmake, provePython } from '../proof/steps'
import { proveWheel } from '../proof/wheel'
import { appFiles } from './app'
import { cmakeFiles } from './cmake'
import { jitFiles } from './jit'
import { libraryFiles } from './library'
import { setuptoolsFiles } from './setuptools'

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
      await proveCmake(proof, '.')
    },
  },
  app: {
    files: (project) => ok(appFiles(project)),
    prove: async (proof) => {
      await proveCmake(proof, '.')
    },
  },
  setuptools: { files: setuptoolsFiles, prove: proveWheel },
  jit: { files: (project) => ok(jitFiles(project)), prove: provenInPython },
} as Record<ExportForm, Form>
