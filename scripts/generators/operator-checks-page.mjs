import { markdownPage, markdownTable, prose } from '../lib/markdown.mjs'

export const file = 'docs/reference/operator-checks.md'

/** When a check is made that not every run makes. */
function whenMade({ onlyWhenAsked, sanitizer, thorough }) {
  const turnOn = (option, panel) =>
    `This check is off by default. To add this check, use \`${option}\`, or turn on *${panel}* in the panel.`
  if (sanitizer) return turnOn('--sanitize', 'sanitizers')
  if (thorough) return turnOn('--thorough', 'thorough')
  return onlyWhenAsked === '' ? '' : `${prose(onlyWhenAsked.replace(/^t/, 'T'))}.`
}

export async function write(load) {
  const { operatorChecks } = await load('electron/contract/operator-checks.generated.ts')
  const checks = Object.entries(operatorChecks)
  return markdownPage(
    '# Operator checks',
    '`opsmith check PROJECT` and the Operator checks panel run these checks. Each check runs with the inputs of opsmith.json, or with inputs made from the schema, and again with other shapes, layouts, dtypes and values. A finding shows the smallest inputs that fail. `"skip": { "CHECK": "reason" }` in an entry of `checks` skips a check.',
    markdownTable(
      ['check', 'meaning'],
      checks.map(([name, { meaning }]) => [`[${name}](#${name})`, meaning]),
    ),
    ...checks.flatMap(([name, check]) => [
      `## ${name}`,
      `${prose(check.meaning)}.`,
      whenMade(check),
      `\`opsmith check PROJECT --check ${name}\` runs only this check.`,
    ]),
  )
}
