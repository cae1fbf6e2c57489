import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { isBadOutcome } from '../../contract/pytest'
import type { PytestProgress, PytestReport, PytestRequest } from '../../contract/pytest'
import type { Builds } from '../builds/builds'
import type { Installation } from '../installation'
import type { OpenProject, Projects } from '../project/open-project'
import { probeLimits, runProcess } from '../toolchain/run-command'
import type { CommandResult } from '../toolchain/run-command'
import { judgePytestPython } from './pytest-python'
import { ReportReader } from './read-report'
import { listenAt } from './report-socket'

/** Milliseconds between two reports of how far a run is. */
const progressInterval = 100
/** Characters of what pytest itself prints. */
const mostLog = 20_000
/** Seconds: setTimeout() takes no more than 24 days. */
const noTimeout = 20 * 86_400
/** pytest's exit codes: its arguments or its configuration are wrong; there are no tests. */
const usageError = 4
const noTests = 5

interface PytestServices {
  installation: Installation
  projects: Projects
  builds: Builds
  /** The Python of a folder; `named` "" chooses one. */
  choosePython: (folder: string, named: string) => Promise<Result<string>>
}

export interface PytestOptions {
  /** "" chooses one. */
  python: string
  /** Seconds; 0 for no limit. */
  timeout: number
  signal?: AbortSignal | undefined
  onProgress?: (progress: PytestProgress) => void
}

/** What a run is started with. */
interface PytestRun {
  project: OpenProject
  python: string
  /** The library that was built last. */
  library: string
  request: PytestRequest
  options: PytestOptions
}

/** Runs of a project's own tests, by its own pytest, with the library that was built last. */
export class PytestRuns {
  constructor(private readonly services: PytestServices) {}

  /**
   * Runs tests in the user's Python. Nothing of the project is changed or reinstalled: its modules are replaced in
   * the process of the run alone.
   * Errors: there is no build (build.required), no Python with torch and pytest, or one with another torch
   * (toolchain.missing, toolchain.mismatch); the library does not load (library.load); pytest refuses what it is
   * asked (request.invalid); stopped, or past the limit (cancelled, host.timeout).
   */
  async run(
    folder: string,
    request: PytestRequest,
    options: PytestOptions,
  ): Promise<Result<PytestReport>> {
    const { projects, builds, choosePython } = this.services
    const opened = await projects.open(folder)
    if (!opened.ok) return opened
    const project = opened.value
    const toolchain = await project.toolchain()
    if (!toolchain.ok) return toolchain
    const build = builds.lastBuild(project)
    if (!build) {
      return err('build.required', 'This project has no successful build yet.', {
        hint: 'Build the project (Ctrl+B). If the build fails, fix its errors.',
      })
    }
    const python = await choosePython(project.folder, options.python)
    if (!python.ok) return python
    const fits = await judgePytestPython(python.value, toolchain.value.libtorch)
    if (!fits.ok) return fits
    return await this.start({
      project,
      python: python.value,
      library: build.loadPath,
      request,
      options,
    })
  }

  private async start(run: PytestRun): Promise<Result<PytestReport>> {
    const { folder } = run.project
    const scratch = await fs.mkdtemp(path.join(os.tmpdir(), `opsmith-pytest-${process.pid}-`))
    const reader = new ReportReader(await fs.realpath(folder), folder)
    const { onProgress } = run.options
    let timer: NodeJS.Timeout | undefined
    const report = (): void => {
      clearTimeout(timer)
      timer = undefined
      onProgress?.(reader.progress())
    }
    const socketFile = path.join(scratch, 'report')
    const socket = await listenAt(socketFile, (text) => {
      reader.take(text)
      timer ??= setTimeout(report, progressInterval)
    })
    try {
      const done = await this.runPytest(run, socketFile)
      await socket.close()
      const outcome = outcomeOf(run, done, reader)
      report()
      return outcome
    } finally {
      clearTimeout(timer)
      await fs.rm(scratch, { recursive: true, force: true })
    }
  }

  private async runPytest(run: PytestRun, socket: string): Promise<CommandResult> {
    const { project, python, library, request, options } = run
    const { installation } = this.services
    const { name, pythonModules } = project.manifest
    const plugin = {
      socket,
      library,
      name,
      modules: pythonModules ?? [name],
      recordsCalls: request.recordsCalls,
    }
    const cache = path.join(installation.cacheFolder, 'pytest')
    const args = [
      '-m',
      'pytest',
      '-p',
      'opsmith_pytest',
      '-o',
      `cache_dir=${cache}`,
      ...(request.onlyList ? ['--collect-only', '-q'] : []),
      ...request.ids,
    ]
    const ours = path.join(installation.root, 'native', 'python')
    const theirs = process.env['PYTHONPATH']
    return await runProcess(python, args, {
      cwd: project.folder,
      env: {
        ...process.env,
        OPSMITH_PYTEST: JSON.stringify(plugin),
        PYTHONPATH: theirs === undefined ? ours : `${ours}${path.delimiter}${theirs}`,
        // Nothing is written into the project: pytest's cache is in ours.
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONIOENCODING: 'utf-8',
      },
      limits: { ...probeLimits, seconds: options.timeout > 0 ? options.timeout : noTimeout },
      signal: options.signal,
    })
  }
}

/** What a run that has ended says. */
function outcomeOf(
  { python, library, request, options }: PytestRun,
  done: CommandResult,
  reader: ReportReader,
): Result<PytestReport> {
  const log = `${done.stdout}${done.stderr}`.trim().slice(-mostLog)
  if (done.stopped === 'cancelled') return err('cancelled', 'The tests were stopped.')
  if (done.stopped === 'timeout') {
    const { running } = reader.progress()
    const where = running === '' ? '' : ` The running test was ${running}.`
    return err('host.timeout', `The tests ran longer than ${options.timeout} s.${where}`)
  }
  if (reader.refusal !== '') {
    return err('library.load', `${python} could not load the library: ${reader.refusal}`, {
      detail: log,
    })
  }
  if (done.exitCode === usageError || reader.pytest === '') {
    const lines = log.split('\n')
    const isWhy = [/ error: /, /^ERROR: /, /^\w*Error: /]
    const why = isWhy.flatMap((form) => lines.find((line) => form.test(line)) ?? [])
    return err('request.invalid', `pytest could not start: ${why[0] ?? lines.at(-1) ?? ''}`, {
      detail: log,
    })
  }
  const { exitCode, signal = '' } = done
  const { tests, ended } = reader.end({ exitCode, signal })
  if (exitCode === noTests && tests.length === 0) {
    return err('request.invalid', 'pytest found no tests.', {
      hint: 'pytest looks for functions test_… in files test_….py.',
      detail: log,
    })
  }
  return ok({
    ok: ended === '' && !tests.some(({ outcome }) => isBadOutcome(outcome)),
    python,
    pytest: reader.pytest,
    torch: reader.torch,
    library,
    replaced: [...reader.replaced],
    tests,
    calls: request.recordsCalls ? reader.calls() : null,
    seconds: done.seconds,
    ended,
    log,
  })
}
