import { code, markdownPage, markdownTable, prose } from '../lib/markdown.mjs'

export const file = 'docs/reference/cli.md'

/** Of a note its sentences, then its indented lines, which keep their columns. */
function noteParts(note) {
  const lines = note.split('\n')
  const indented = lines.filter((line) => line.startsWith('  '))
  const sentences = lines.filter((line) => !line.startsWith('  '))
  const block = ['```text', ...indented.map((line) => line.slice(2)), '```'].join('\n')
  return [prose(sentences.join(' ')), ...(indented.length > 0 ? [block] : [])]
}

export async function write(load) {
  const { verbs } = await load('electron/cli/all-verbs.ts')
  const { copyOption, describeOption, flagOf, targetOption } = await load('electron/cli/options.ts')
  const argumentText = ({ argument, moreArguments }) => {
    if (!argument) return ''
    const more = moreArguments ? ` [${moreArguments.name} …]` : ''
    return (argument.isOptional ? ` [${argument.name}]` : ` <${argument.name}>`) + more
  }
  const optionRow = ([name, option]) => [
    code(`${flagOf(name, option)} ${option.placeholder}`.trim()),
    describeOption(option),
  ]
  const section = (verb) => {
    const options = Object.entries(verb.options).map(optionRow)
    return [
      `## ${verb.name}`,
      `\`opsmith ${verb.name}${options.length > 0 ? ' [options]' : ''}${argumentText(verb)}\``,
      prose(`${verb.description[0].toUpperCase()}${verb.description.slice(1)}.`),
      ...[verb.argument, verb.moreArguments].flatMap((one) =>
        one ? [`\`${one.name}\`: ${one.description}.`] : [],
      ),
      options.length > 0 ? markdownTable(['option', 'meaning'], options) : '',
      ...(verb.notes ?? []).flatMap(noteParts),
    ]
  }
  return markdownPage(
    '# Command line',
    '`npm link` in the clone puts `opsmith` on PATH. The `.deb` package does so too. `opsmith VERB --help` prints what this page says about the verb. [Exit codes](errors.md#exit-codes) are the same for all verbs.',
    markdownTable(
      ['verb', 'purpose'],
      verbs.map((verb) => [`[${verb.name}](#${verb.name})`, verb.description]),
    ),
    'All verbs have these options. See [Use a machine with a GPU](../how-to/gpu-machine.md).',
    markdownTable(
      ['option', 'meaning'],
      [
        [`\`${targetOption.flag} ${targetOption.placeholder}\``, targetOption.description],
        [`\`${copyOption.flag}\``, copyOption.description],
      ],
    ),
    ...verbs.flatMap(section),
  )
}
