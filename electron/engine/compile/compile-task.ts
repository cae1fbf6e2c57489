import type { ServerFlags } from './hot/server-flags'

/** One run of a compiler. */
export interface CompileTask {
  /** "op.cpp", for people. */
  label: string
  command: string
  /** Everything but -o, -MF and the source. */
  args: string[]
  source: string
  /** The project's source that a generated one includes, relative. */
  around?: string
  /** Hash over all of it that is known before the compiler runs. */
  key: string
  /** Compiled for its messages: what it makes is not linked. */
  isJudgedOnly?: boolean
  /** A library that the object needs: the header it was compiled with leaves out the code in that library. */
  sharedCode?: string
  /** The same flags for a compile server; undefined where one of them changes what the headers mean. */
  server: ServerFlags | undefined
}
