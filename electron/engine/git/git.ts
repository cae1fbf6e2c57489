import type { BlamedLine, GitStatus } from '../../contract/git'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { withoutLinks } from '../project/inside'
import { restricted } from '../project/open-project'
import type { Projects } from '../project/open-project'
import { findOnPath } from '../toolchain/find-on-path'
import { runProcess } from '../toolchain/run-command'
import type { CommandResult } from '../toolchain/run-command'
import { parseBlame } from './parse-blame'
import { parseStatus } from './parse-status'

const limits = { seconds: 30, outputBytes: 32 << 20, memoryBytes: 0 }

/**
 * A repository's settings can name programs that git runs: no hook and no monitor of them is. Others (filters of
 * .gitattributes) remain, so that git is not started at all in restricted mode.
 */
const quietSettings = [
  '--no-optional-locks',
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
]

interface Services {
  projects: Projects
}

interface Question {
  folder: string
  args: readonly string[]
  input?: string
  signal?: AbortSignal | undefined
  isBackground?: boolean
}

/** What the `git` program of this machine says of a project. It only reads. */
export class Git {
  constructor(private readonly services: Services) {}

  /** Undefined where there is no git. Errors: the folder is restricted. */
  private async run(question: Question): Promise<Result<CommandResult | undefined>> {
    const { folder, args, input, signal, isBackground = false } = question
    if (await this.services.projects.isRestricted(folder)) return restricted(folder)
    const program = findOnPath('git')
    if (program === undefined) return ok(undefined)
    // What the shell says of other repositories must not reach this one.
    const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...env } = process.env
    const answer = await runProcess(program, [...quietSettings, '-C', folder, ...args], {
      cwd: folder,
      env: { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
      limits,
      signal,
      isBackground,
      ...(input !== undefined && { input }),
    })
    return ok(answer)
  }

  /** Null where the project is in no repository, and where there is no git. */
  async status(folder: string): Promise<Result<GitStatus | null>> {
    const words = 'status --porcelain=v2 --branch --ignored --ignore-submodules=dirty -z -- .'
    // Nobody waits for it, and a build may run.
    const [status, prefix] = await Promise.all([
      this.run({ folder, args: words.split(' '), isBackground: true }),
      this.run({ folder, args: ['rev-parse', '--show-prefix'], isBackground: true }),
    ])
    if (!status.ok) return status
    if (!prefix.ok) return prefix
    if (status.value?.exitCode !== 0 || prefix.value?.exitCode !== 0) return ok(null)
    return ok(parseStatus(status.value.stdout, prefix.value.stdout.replace(/\n$/, '')))
  }

  /** The file as the last commit has it; null where it has none, and for what is not a text. */
  async head(folder: string, relative: string): Promise<Result<{ text: string | null }>> {
    const target = await withoutLinks(folder, relative)
    if (!target.ok) return target
    const args = ['cat-file', 'blob', `HEAD:./${relative}`]
    const answer = await this.run({ folder, args })
    if (!answer.ok) return answer
    if (answer.value?.exitCode !== 0 || answer.value.truncated) return ok({ text: null })
    const { stdout } = answer.value
    return ok({ text: stdout.includes('\0') ? null : stdout })
  }

  /** Who changed each line of a text last: one entry for each line. */
  async blame(folder: string, relative: string, text: string): Promise<Result<BlamedLine[]>> {
    const target = await withoutLinks(folder, relative)
    if (!target.ok) return target
    const args = ['blame', '--porcelain', '--contents', '-', '--', relative]
    const answer = await this.run({ folder, args, input: text })
    if (!answer.ok) return answer
    if (!answer.value) return err('io', 'git is not on PATH.', { hint: 'Install git.' })
    const { exitCode, stdout, stderr } = answer.value
    // A file that no commit has is no failure: nobody else has written it.
    if (exitCode !== 0 && /no such path|no such ref|not a git repository/.test(stderr))
      return ok([])
    return exitCode === 0
      ? ok(parseBlame(stdout))
      : err(
          'io',
          `Opsmith cannot show who changed the lines of ${relative}: git blame failed. The details contain the message of git.`,
          { detail: stderr },
        )
  }
}
