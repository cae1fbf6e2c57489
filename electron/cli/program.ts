import { Argument, Command, Option } from 'commander'

import { exitCodes, exitMeanings } from './exit-codes'
import { endWithCaller, runOnTarget, wordsWithoutTarget } from './on-target'
import { copyOption, describeOption, flagOf, targetOption } from './options'
import type { GivenValue, Option as OptionDeclaration } from './options'
import { refuse, wantsJson as wantsJsonOf } from './verb'
import type { Verb } from './verb'

/** Who has started the command line. */
interface ProgramUse {
  /** Another Opsmith, with --on. */
  isCalled: boolean
}

function commanderOption(name: string, option: OptionDeclaration<unknown>): Option {
  const value = option.placeholder === '' ? '' : ` ${option.placeholder}`
  const made = new Option(`${flagOf(name, option)}${value}`, describeOption(option))
  if (option.isRepeated) {
    made.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
  }
  return made
}

function addVerb(program: Command, verb: Verb, { isCalled }: ProgramUse): void {
  const { name, description, notes = [], argument, moreArguments } = verb
  const command = program.command(name).description(description)
  if (argument) {
    const usage = argument.isOptional ? `[${argument.name}]` : `<${argument.name}>`
    command.addArgument(new Argument(usage, argument.description))
  }
  if (moreArguments) {
    command.addArgument(new Argument(`[${moreArguments.name}...]`, moreArguments.description))
  }
  for (const [key, option] of Object.entries(verb.options)) {
    command.addOption(commanderOption(key, option))
  }
  if (notes.length > 0) command.addHelpText('after', `\n${notes.join('\n\n')}`)
  command.action(async () => {
    const [target = '', ...more] = command.args
    const given = command.opts<Record<string, GivenValue>>()
    const readsInput = verb.readsInput?.(given) ?? false
    const { on, copy = false } = program.opts<{ on?: string; copy?: boolean }>()
    const wantsJson = wantsJsonOf(given)
    if (on !== undefined) {
      const words = wordsWithoutTarget(process.argv.slice(2))
      process.exitCode = await runOnTarget(on, { words, readsInput, wantsJson, mayCopy: copy })
      return
    }
    if (copy) {
      process.exitCode = refuse('--copy needs --on TARGET.', wantsJson)
      return
    }
    if (isCalled && !readsInput) endWithCaller()
    process.exitCode = await verb.execute(target, given, more)
  })
}

function exitHelp(): string[] {
  const names = ['good', 'failed', 'noAnswer'] as const
  return names.map((name) => `  ${exitCodes[name]}  ${exitMeanings[name]}`)
}

/** The command line of these verbs. It throws commander's errors, and sets the exit code. */
export function makeProgram(
  verbs: readonly Verb[],
  version: string,
  use: ProgramUse = { isCalled: false },
): Command {
  const program = new Command('opsmith')
  program
    .version(version)
    .description('Builds, inspects and runs PyTorch operators written in C++ and CUDA.')
    .option(`${targetOption.flag} ${targetOption.placeholder}`, targetOption.description)
    .option(copyOption.flag, copyOption.description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(text) })
    .showHelpAfterError('Run with --help for usage.')
    .addHelpText('after', `\nExit codes:\n${exitHelp().join('\n')}`)
  for (const verb of verbs) addVerb(program, verb, use)
  return program
}
