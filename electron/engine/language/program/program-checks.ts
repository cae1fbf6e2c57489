import type { Diagnostic } from '../../../contract/diagnostics'
import type { LoadReport } from '../../../contract/operators'
import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import type { ProgramFunction, ProgramSource } from '../../../contract/run'
import type { HostPool } from '../../host/host-pool'
import type { Projects } from '../../project/open-project'
import {
  blockAt,
  blocksOf,
  isAbout,
  isSyntaxError,
  programDiagnostic,
  withoutBlock,
} from './program-errors'

/** What is said of a program at most: the compiler is asked once for each. */
const mostErrors = 10

interface ProgramCheckServices {
  projects: Projects
  hosts: HostPool
}

/** Asks the TorchScript compiler, which stops at its first error. */
type Compile = (text: string) => Promise<Result<ProgramFunction[]>>

/** Names that only the project's library can give, and no library is loaded. */
function needsLibrary(message: string, loaded: LoadReport | undefined): boolean {
  return loaded === undefined && /^Unknown builtin op|^no class .* is registered/.test(message)
}

/**
 * The errors of a program, one for each function that has one. A function with an error is taken out
 * and the rest compiled again; that it is missed is no error.
 * @param loaded undefined: no library is, and an operator that nobody knows may be the project's
 */
export async function programErrors(
  source: ProgramSource,
  compile: Compile,
  loaded: LoadReport | undefined,
): Promise<Result<Diagnostic[]>> {
  const found: Diagnostic[] = []
  const broken = new Set<string>()
  const blocks = blocksOf(source.source)
  let text = source.source
  for (let tries = 0; found.length < mostErrors && tries < 2 * mostErrors; tries += 1) {
    const compiled = await compile(text)
    if (compiled.ok) break
    const { error } = compiled
    if (error.code !== 'program.compile') return compiled
    const isSyntax = isSyntaxError(error.message)
    const block = blockAt(blocks, error.line ?? 0)
    const isSecondary = isAbout(error.message, broken)
    // After the first one, a word that does not fit is most likely of our own cutting.
    if (isSyntax && tries > 0) break
    if (!isSecondary && !needsLibrary(error.message, loaded)) {
      found.push(programDiagnostic(error, source.file, source.source))
    }
    if (isSyntax || block === undefined || block.name === '') break
    broken.add(block.name)
    text = withoutBlock(text, block)
  }
  return ok(found.sort((a, b) => a.line - b.line))
}

/** Checks of a program's text, saved or not, by the op host while it has nothing else to do. */
export class ProgramChecks {
  private latest = 0

  constructor(private readonly services: ProgramCheckServices) {}

  /**
   * @param text in place of what is on disk; of several checks that wait, only the last one is made
   * @returns undefined when the project has no program
   */
  async check(
    folder: string,
    text?: string,
  ): Promise<Result<{ file: string; diagnostics: Diagnostic[] } | undefined>> {
    this.latest += 1
    const mine = this.latest
    const { projects, hosts } = this.services
    const project = await projects.open(folder)
    if (!project.ok) return project
    const program = await project.value.program()
    if (!program.ok) return program
    if (!program.value) return ok(undefined)
    const source = { file: program.value.file, source: text ?? program.value.source }
    const library = hosts.loadedPath()
    const compile: Compile = async (changed) => {
      const isFree = await hosts.whenIdle(() => mine !== this.latest)
      if (!isFree) return err('cancelled', 'A newer version of the program is being checked.')
      return await hosts.call(
        'program.functions',
        { ...source, source: changed },
        // None: a call that was made in the same moment may come first, and has a limit of its own.
        { timeout: 0, phase: '' },
        // Without it, all of the project's operators would be unknown.
        library,
      )
    }
    const errors = await programErrors(source, compile, hosts.loadedReport())
    if (!errors.ok) return errors
    return ok({ file: source.file, diagnostics: errors.value })
  }
}
