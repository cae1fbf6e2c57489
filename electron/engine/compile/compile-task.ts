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
  /** The library of shared code, where what is compiled leaves out what that has. */
  sharedCode?: string
  /** The same flags for a compile server; undefined where one of them changes what the headers mean. */
  server: ServerFlags | undefined
}
