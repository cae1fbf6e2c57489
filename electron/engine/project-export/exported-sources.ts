import type { SourceText } from '../compile/generated-sources'
import type { FileTree } from './file-tree'

/** One file that is compiled, as it lies in an export. */
export interface CompiledSource {
  path: string
  cuda: boolean
  /** It includes libtorch, itself or by its project's headers. */
  torch: boolean
  /** Left out where there is no CUDA: `cudaSources` of opsmith.json. */
  conditional: boolean
}

/** The sources of a project as an export holds them: theirs word for word, and what Opsmith adds. */
export interface ExportedSources {
  /** In the order in which they are linked: the registration is last. */
  compiled: CompiledSource[]
  /** Every file, compiled or included. */
  files: FileTree
  /** Folders for #include, in the order in which they are searched; "." is the export itself. */
  includeFolders: string[]
  /** Macros: TORCH_EXTENSION_NAME=my_op. */
  definitions: string[]
  /** It needs headers that come with Opsmith: third_party/opsmith. */
  usesSupport: boolean
  /** The sources themselves include some of them. */
  includesSupport: boolean
  /** It uses at::parallel_for, which is one thread unless it is compiled with OpenMP. */
  parallel: boolean
  /** The project's own texts by their place in the project: sources and the headers they include. */
  texts: SourceText[]
}

export const supportFolder = 'third_party/opsmith'
export const supportInclude = `${supportFolder}/include`

/** The same without what Opsmith adds: what opsmith.json pairs is then registered elsewhere. */
export function ownSources(sources: ExportedSources): ExportedSources {
  const own = (path: string): boolean => !path.startsWith(`${supportFolder}/`)
  return {
    ...sources,
    compiled: sources.compiled.filter(({ path }) => own(path)),
    files: new Map([...sources.files].filter(([path]) => own(path))),
    includeFolders: sources.includeFolders.filter((folder) => folder !== supportInclude),
    usesSupport: false,
  }
}
