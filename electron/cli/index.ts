import fs from 'node:fs'
import path from 'node:path'

import { Command, CommanderError } from 'commander'
import { z } from 'zod'

import { exportForms } from '../contract/export'
import { opcheckCheck } from '../contract/opcheck'
import { findInstallation } from '../engine/installation'
import { startForkedHost } from '../engine/host/transport'
import { manifestJsonSchema } from '../engine/project/manifest-schema'
import { commandOptions, Workbench } from '../engine/workbench'
import { runAssembly } from './assembly-command'
import type { GivenAssemblyOptions } from './assembly-command'
import { runBench } from './bench-command'
import type { GivenBenchOptions } from './bench-options'
import { runBuild } from './build-command'
import type { GivenBuildOptions } from './build-command'
import { runCompileCommands } from './compile-commands-command'
import { runDoctor } from './doctor-command'
import { runChecks } from './check-command'
import { runCheckProgram } from './check-program-command'
import type { GivenCheckOptions } from './check-options'
import { exitCodes } from './exit-codes'
import { runExport } from './export-command'
import type { GivenExportOptions } from './export-command'
import { runGradcheck } from './gradcheck-command'
import type { GivenGradcheckOptions } from './gradcheck-options'
import { runGraph } from './graph-command'
import { graphFormats } from './graph-options'
import type { GivenGraphOptions } from './graph-options'
import { runLint } from './lint-command'
import { callerPath, printJson } from './print'
import { runPrepare } from './prepare-command'
import { runProfile } from './profile-command'
import type { GivenProfileOptions } from './profile-options'
import { runReportCommand } from './report-command'
import { runCalls, runSanitized } from './run-command'
import { runSchemas } from './schemas-command'

export type CommandAction = (
  workbench: Workbench,
  project: string,
  options: { json: boolean },
) => Promise<number>

async function withWorkbench(
  action: (workbench: Workbench, folder: string) => Promise<number>,
  project: string,
): Promise<void> {
  const workbench = new Workbench(
    findInstallation(__dirname),
    startForkedHost,
    {
      // What user code prints goes to stderr: stdout is for the answer.
      onOutput: (_generation, _stream, text) => process.stderr.write(text),
    },
    commandOptions,
  )
  await workbench.applySettings()
  try {
    process.exitCode = await action(workbench, callerPath(project))
  } finally {
    await workbench.close()
  }
}

function addBuildCommand(program: Command): void {
  program
    .command('build')
    .description('compile the project into lib<name>.so and <name>.node')
    .argument('<project>', 'folder with opsmith.json')
    .option(
      '--cuda-arch <list>',
      'compile kernels for these architectures, in place of those of the GPUs here: 80,90a',
    )
    .option('--sanitize', 'with ASan and UBSan; the library stays in the cache')
    .option(
      '--time-trace [file]',
      'compile all of it anew and say where the time went; a file is a trace for ui.perfetto.dev',
    )
    .option('--verbose', "the compiler's own text of errors that are shown shortened")
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .action(async (project: string, options: GivenBuildOptions) => {
      await withWorkbench((workbench, folder) => runBuild(workbench, folder, options), project)
    })
}

function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('build, and make every call of opsmith.json')
    .argument('<project>', 'folder with opsmith.json')
    .option('--sanitize', 'in a build with ASan and UBSan: what they report fails the call')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .action(async (project: string, options: { json?: boolean; sanitize?: boolean }) => {
      const { json = false, sanitize = false } = options
      await withWorkbench(
        (workbench, folder) =>
          sanitize
            ? runSanitized(workbench, folder, { json })
            : runCalls(workbench, folder, { json }),
        project,
      )
    })
}

function addGraphCommand(program: Command): void {
  const collect = (text: string, before: string[] | undefined): string[] => [
    ...(before ?? []),
    text,
  ]
  program
    .command('graph')
    .description('print the graph of a program function, an operator, or a saved model')
    .argument('<project or file>', 'folder with opsmith.json, or a .pt, .pt2 or .json file')
    .option('--entry <name>', 'function, operator or method; by default the first there is')
    .option('--script', 'as the TorchScript compiler made it (the default)')
    .option('--trace', 'as recorded while it ran')
    .option('--autograd', 'grad_fn nodes from the outputs to the leaves')
    .option('--executed', 'as the profiling executor ran it, fused and specialised')
    .option('--pass <names>', 'passes to run, in this order, separated by commas', collect)
    .option('--args <json>', 'what to call it with: a list as in opsmith.json')
    .option('--observe', 'run it node by node: time, memory and statistics of each node')
    .option('--format <format>', graphFormats.join(', '), 'text')
    .option('--json', 'the same as --format json')
    .option(
      '--diff <file>',
      'compare with the graph in a .pt, .pt2 or .json file; exit code 1 when they differ',
    )
    .option('--project <folder>', 'for a file: the project whose operators it uses')
    .option('--timeout <seconds>', 'for the capture, and for the runs of --observe')
    .option(
      '--save <file>',
      'save the scripted or traced function as a .pt that Python and C++ load',
    )
    .option('--output <file>', 'write to a file instead of stdout')
    .action(async (target: string, options: GivenGraphOptions) => {
      await withWorkbench((workbench, named) => runGraph(workbench, named, options), target)
    })
}

function addGradcheckCommand(program: Command): void {
  program
    .command('gradcheck')
    .description("build, and check gradients: opsmith.json's gradchecks, or one operator's")
    .argument('<project>', 'folder with opsmith.json')
    .option('--op <name>', "an operator, libtorch's included, or a function of the program")
    .option('--args <json>', 'what to call it with: a list as in opsmith.json')
    .option('--eps <step>', 'step of finite differences (1e-6)')
    .option('--atol <tolerance>', 'absolute tolerance (1e-5)')
    .option('--rtol <tolerance>', 'relative tolerance (1e-3)')
    .option('--nondet-tol <tolerance>', 'how far two runs of one backward may differ (0)')
    .option('--dtype <type>', 'of every floating or complex input, in place of its own')
    .option('--fast', 'one random projection instead of whole Jacobians')
    .option('--masked', 'elements that a sparse input does not specify have no gradient')
    .option('--second-order', 'gradients of gradients, as gradgradcheck')
    .option('--forward', 'forward mode too')
    .option('--no-backward', 'leave backward mode out')
    .option('--batched', 'gradients under vmap too')
    .option('--batched-forward', 'forward mode under vmap too')
    .option('--grad-dtypes', "gradients have exactly their inputs' dtypes")
    .option('--no-undefined-grad', 'leave undefined gradients out')
    .option('--non-contiguous', 'with --second-order: gradients of outputs that are not contiguous')
    .option('--timeout <seconds>', 'for each check that has none in opsmith.json')
    .option('--sweep', 'the error over eps, in float32 and float64, and the eps to use')
    .option('--search <points>', 'look for the worst of so many random points')
    .option('--seed <number>', 'with --search: where the seeds begin (0)')
    .option('--keep', 'with --search: add a point that fails to opsmith.json')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .option('--junit <file>', 'also write JUnit XML')
    .option('--html <file>', 'also write a report with pictures')
    .addHelpText(
      'after',
      '\nWith options of your own, a check is to pass, whatever opsmith.json expects of it.',
    )
    .action(async (project: string, options: GivenGradcheckOptions) => {
      await withWorkbench((workbench, folder) => runGradcheck(workbench, folder, options), project)
    })
}

function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('build, and check operators: schema, kernels, layouts, dtypes, memory')
    .argument('<project>', 'folder with opsmith.json')
    .option('--op <name>', "an operator, libtorch's included, or a function of the program")
    .option('--args <json>', 'with --op: what to call it with: a list as in opsmith.json')
    .option('--check <names...>', 'only these checks; large_sizes is made only when named here')
    .option('--sanitize', 'also in a build that ASan and UBSan watch')
    .option('--shapes <number>', 'how many other calls are tried: shapes, and what has a range (6)')
    .option('--seed <number>', 'of the other calls (0)')
    .option('--timeout <seconds>', 'for each operator (120)')
    .option('--keep', 'add what fails to opsmith.json, with the simplest inputs that show it')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .option('--junit <file>', 'also write JUnit XML')
    .option('--html <file>', 'also write a report')
    .addHelpText(
      'after',
      `\nWithout --op: opsmith.json's checks; where it has none, its calls and every other operator of the project,\nwith inputs made from the schema.\n\nChecks: ${opcheckCheck.options.join(', ')}.`,
    )
    .action(async (project: string, options: GivenCheckOptions) => {
      await withWorkbench((workbench, folder) => runChecks(workbench, folder, options), project)
    })
}

function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description("build, and time operators: opsmith.json's benchmarks, or one operator's")
    .argument('<project>', 'folder with opsmith.json')
    .option('--op <name>', "an operator, libtorch's included, or a function of the program")
    .option('--args <json>', 'with --op: what to call it with: a list as in opsmith.json')
    .option('--against <calls...>', 'operators or TorchScript expressions to time beside it')
    .option('--build <builds...>', '"last" or names of earlier builds to time beside this one')
    .option('--sweep <sizes...>', 'values of a size that a shape names: N=1,64,4096')
    .option('--threads <numbers...>', "of libtorch's pool, each a point (1)")
    .option('--dtype <types...>', 'of every floating or complex input, each a point')
    .option('--direction <names...>', 'forward, backward, both')
    .option('--cold', 'also with caches flushed before every call')
    .option('--same-inputs', 'the same inputs in the same memory for all samples')
    .option(
      '--seconds <number>',
      'of samples for each row (0.5); up to twice as many where it is noisy',
    )
    .option('--timeout <seconds>', 'for one request to the op host (120)')
    .option('--measure-ceilings', 'measure what the machine can do at most, also where it is known')
    .option(
      '--kernels',
      'list what the GPU does in one forward, kernel by kernel, in place of timing',
    )
    .option('--builds', 'list the builds that can be timed against, in place of timing')
    .option(
      '--name-build <name>',
      'name this build, or the one that --build tells; "" takes it away',
    )
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .option('--markdown', 'tables in Markdown')
    .option('--csv', 'a line for each row, in seconds')
    .option('--baseline <file>', 'compare with times that were saved')
    .option('--save-baseline <file>', 'save the times')
    .option('--fail-above <ratio>', 'with --baseline: how much slower is a failure (1.05)')
    .addHelpText(
      'after',
      `\nWithout --op: opsmith.json's benchmarks; where it has none, its calls.\n\nNo time is shown for a result that differs from what it is timed against (exit code 1). A row is\nslower than its baseline for sure, and fails, when the lower end of its median's 95 % interval is more\nthan --fail-above times the upper end of the baseline's.`,
    )
    .action(async (project: string, options: GivenBenchOptions) => {
      await withWorkbench((workbench, folder) => runBench(workbench, folder, options), project)
    })
}

function addProfileCommand(program: Command): void {
  program
    .command('profile')
    .description('build, and show where one call spends its time and takes its memory')
    .argument('<project>', 'folder with opsmith.json')
    .option('--function <name>', 'a function of the program')
    .option('--op <name>', "an operator, libtorch's included")
    .option('--args <json>', 'with --function or --op: what to call it with: a list')
    .option('--call <number>', 'which call of opsmith.json (of that name), from 1')
    .option('--backward', 'also the backward of the sum of its outputs')
    .option('--threads <number>', "of libtorch's pool (1)")
    .option('--trace <file>', 'write a trace for ui.perfetto.dev or chrome://tracing')
    .option('--timeout <seconds>', 'for the profiled runs')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .addHelpText(
      'after',
      '\nWithout a name: the first function of the program that opsmith.json calls, else its first call.\nOf a few profiled runs the one of the median time is shown, own times (self) first.',
    )
    .action(async (project: string, options: GivenProfileOptions) => {
      await withWorkbench((workbench, folder) => runProfile(workbench, folder, options), project)
    })
}

function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('build, write the project in other forms, and prove that they build and run')
    .argument('<project>', 'folder with opsmith.json')
    .option('--as <forms>', "forms, separated by commas; by default opsmith.json's exports")
    .option('--out <folder>', 'where to: each form goes into a folder of its name')
    .option('--no-proof', 'write only')
    .option('--list', 'which forms this project can take, and why not')
    .option(
      '--diff',
      'what would change in an export that is there; exit code 1 when something would',
    )
    .option('--keep [files...]', 'files changed by hand that stay as they are: FORM/PATH, or all')
    .option('--overwrite [files...]', 'files changed by hand that are written again')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .addHelpText('after', `\nForms: ${exportForms.join(', ')}.`)
    .action(async (project: string, options: GivenExportOptions) => {
      await withWorkbench((workbench, folder) => runExport(workbench, folder, options), project)
    })
}

function addAssemblyCommand(program: Command): void {
  program
    .command('assembly')
    .description('build, and show the instructions of a function, each with its line')
    .argument('<project>', 'folder with opsmith.json')
    .option('--function <name>', 'its name, or FILE:LINE; without it, the functions are listed')
    .option('--ptx', "a CUDA kernel's PTX")
    .option('--sass', "a CUDA kernel's machine code, where nvdisasm or cuobjdump is installed")
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .action(async (project: string, options: GivenAssemblyOptions) => {
      await withWorkbench((workbench, folder) => runAssembly(workbench, folder, options), project)
    })
}

function ownVersion(): string {
  const file = path.join(findInstallation(__dirname).root, 'package.json')
  return z.object({ version: z.string() }).parse(JSON.parse(fs.readFileSync(file, 'utf8'))).version
}

function makeProgram(): Command {
  const program = new Command('opsmith')
  program
    .version(ownVersion())
    .description('Builds, inspects and runs PyTorch operators written in C++ and CUDA.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(text) })
    .showHelpAfterError('With --help it says what it takes.')
    .addHelpText('after', '\nExit codes: 0 good, 1 an outcome that failed, 2 could not answer.')
  const projectCommand = (name: string, description: string, action: CommandAction): void => {
    program
      .command(name)
      .description(description)
      .argument('<project>', 'folder with opsmith.json')
      .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
      .action(async (project: string, options: { json?: boolean }) => {
        await withWorkbench(
          (workbench, folder) => action(workbench, folder, { json: options.json ?? false }),
          project,
        )
      })
  }
  addBuildCommand(program)
  addRunCommand(program)
  projectCommand(
    'schemas',
    'build, load, and list the operators and classes registered',
    runSchemas,
  )
  program
    .command('lint')
    .description("look for what is wrong in operators' sources and no compiler tells")
    .argument('<project>', 'folder with opsmith.json')
    .option('--fix', 'mend what can be mended, in the files')
    .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
    .addHelpText(
      'after',
      '\nExit code 1: something was found and is not mended. A comment silences a lint on its line, or on the\nnext: // opsmith-ignore: code. So does "lints": { "code": false } in opsmith.json, for the project.',
    )
    .action(async (project: string, options: { fix?: boolean; json?: boolean }) => {
      const { fix = false, json = false } = options
      await withWorkbench((workbench, folder) => runLint(workbench, folder, { fix, json }), project)
    })
  projectCommand(
    'check-program',
    'build, and compile the TorchScript program: its errors, function by function',
    runCheckProgram,
  )
  addGraphCommand(program)
  addGradcheckCommand(program)
  addCheckCommand(program)
  addBenchCommand(program)
  addProfileCommand(program)
  addExportCommand(program)
  addAssemblyCommand(program)
  projectCommand('report', 'everything that exists so far, as a readable report', runReportCommand)
  program
    .command('doctor')
    .description('look for compilers, libtorch, CUDA and Python, and judge them')
    .argument('[project]', 'folder with opsmith.json, for its own choice of tools', '')
    .option('--json', 'the answer as JSON on stdout')
    .action(async (project: string, options: { json?: boolean }) => {
      await withWorkbench(
        (workbench, folder) =>
          runDoctor(workbench, project === '' ? '' : folder, { json: options.json ?? false }),
        project,
      )
    })
  program
    .command('prepare')
    .description("precompile libtorch's headers for the chosen compiler and flags")
    .argument('[project]', 'folder with opsmith.json, for its own choice of tools and flags', '')
    .option('--json', 'the answer as JSON on stdout')
    .action(async (project: string, options: { json?: boolean }) => {
      await withWorkbench(
        (workbench, folder) =>
          runPrepare(workbench, project === '' ? '' : folder, { json: options.json ?? false }),
        project,
      )
    })
  program
    .command('compile-commands')
    .description('print compile_commands.json, for clangd in other editors')
    .argument('<project>', 'folder with opsmith.json')
    .option('--json', 'an error as JSON on stdout')
    .action(async (project: string, options: { json?: boolean }) => {
      await withWorkbench(
        (workbench, folder) =>
          runCompileCommands(workbench, folder, { json: options.json ?? false }),
        project,
      )
    })
  program
    .command('schema')
    .description('print the JSON Schema of opsmith.json')
    .action(() => {
      printJson(manifestJsonSchema())
    })
  return program
}

async function main(): Promise<void> {
  // Who reads the answer may have read enough, as `head` has; nothing is left to do then.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(process.exitCode ?? exitCodes.good)
  })
  try {
    await makeProgram().parseAsync(process.argv)
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.good : exitCodes.noAnswer
      return
    }
    process.stderr.write(
      `opsmith: a bug of ours: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exitCode = exitCodes.noAnswer
  }
}

void main()
