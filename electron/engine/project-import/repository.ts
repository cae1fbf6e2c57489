import type { ProjectProposal } from '../../contract/project-import'
import type { ExtensionPair } from './paired-extensions'

export interface ImportRequest {
  /** Absolute. */
  folder: string
  /** The folder's code may be run (setup.py, CMake, scripts); else texts are read. */
  runsCode: boolean
  /** The Python that runs setup.py and scripts; "" chooses one. */
  python: string
  /** The extension that is wanted; "" for no choice. */
  extension: string
  /** "NAME=VALUE": environment variables of setup.py and scripts, and variables of CMake's ("NAME:TYPE=VALUE" too). */
  definitions?: readonly string[]
}

/** What is known of a repository before extensions are chosen. */
export interface ReadRepository {
  source: ProjectProposal['source']
  /** The build file, relative: setup.py, CMakeLists.txt, a script. */
  file: string
  python: string
  packageName: string
  version: string
  /** The file that has name and version, relative. */
  packageFile: string
  /** Its line that has them; 0 where that is unknown. */
  packageLine: number
  pairs: ExtensionPair[]
}
