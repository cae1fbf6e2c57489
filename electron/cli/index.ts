import path from 'node:path'

import { Command, CommanderError } from 'commander'

import { findInstallation } from '../engine/installation'
import { startForkedHost } from '../engine/host/transport'
import { manifestJsonSchema } from '../engine/project/manifest-schema'
import { Workbench } from '../engine/workbench'
import { runBuild } from './build-command'
import { runDoctor } from './doctor-command'
import { exitCodes } from './exit-codes'
import { printJson } from './print'
import { runPrepare } from './prepare-command'
import { runReportCommand } from './report-command'
import { runCalls } from './run-command'
import { runSchemas } from './schemas-command'

export type CommandAction = (
  workbench: Workbench,
  project: string,
  options: { json: boolean },
) => Promise<number>

async function withWorkbench(
  action: CommandAction,
  project: string,
  options: { json?: boolean },
): Promise<void> {
  const workbench = new Workbench(
    findInstallation(__dirname),
    startForkedHost,
    {
      // What user code prints goes to stderr: stdout is for the answer.
      onOutput: (_generation, _stream, text) => process.stderr.write(text),
    },
    { keepSpare: false },
  )
  await workbench.applySettings()
  const folder = path.resolve(process.env['OPSMITH_CALLER_FOLDER'] ?? process.cwd(), project)
  try {
    process.exitCode = await action(workbench, folder, { json: options.json ?? false })
  } finally {
    await workbench.close()
  }
}

function makeProgram(): Command {
  const program = new Command('opsmith')
  program
    .description('Builds, inspects and runs PyTorch operators written in C++ and CUDA.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(text) })
    .addHelpText('after', '\nExit codes: 0 good, 1 an outcome that failed, 2 could not answer.')
  const projectCommand = (name: string, description: string, action: CommandAction): void => {
    program
      .command(name)
      .description(description)
      .argument('<project>', 'folder with opsmith.json')
      .option('--json', 'the answer as JSON on stdout; progress stays on stderr')
      .action(async (project: string, options: { json?: boolean }) => {
        await withWorkbench(action, project, options)
      })
  }
  projectCommand('build', 'compile the project into lib<name>.so and <name>.node', runBuild)
  projectCommand(
    'schemas',
    'build, load, and list the operators and classes registered',
    runSchemas,
  )
  projectCommand('run', 'build, and make every call of opsmith.json', runCalls)
  projectCommand('report', 'everything that exists so far, as a readable report', runReportCommand)
  program
    .command('doctor')
    .description('look for compilers, libtorch, CUDA and Python, and judge them')
    .argument('[project]', 'folder with opsmith.json, for its own choice of tools', '')
    .option('--json', 'the answer as JSON on stdout')
    .action(async (project: string, options: { json?: boolean }) => {
      await withWorkbench(
        (workbench, folder, { json }) =>
          runDoctor(workbench, project === '' ? '' : folder, { json }),
        project,
        options,
      )
    })
  program
    .command('prepare')
    .description("precompile libtorch's headers for the chosen compiler")
    .option('--json', 'the answer as JSON on stdout')
    .action(async (options: { json?: boolean }) => {
      await withWorkbench(runPrepare, '.', options)
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
