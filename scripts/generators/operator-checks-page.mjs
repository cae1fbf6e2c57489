import { markdownPage, markdownTable, prose } from '../lib/markdown.mjs'

export const file = 'docs/reference/operator-checks.md'

/** When a check is made that not every run makes. */
function whenMade({ onlyWhenAsked, sanitizer, thorough }) {
  if (sanitizer) return 'Made with `--sanitize`, or *sanitizers* in the panel.'
  if (thorough) return 'Made with `--thorough`, or *thorough* in the panel.'
  if (onlyWhenAsked !== '') return `Not made by default: ${prose(onlyWhenAsked)}.`
  return ''
}

export async function write(load) {
  const { operatorChecks } = await load('electron/contract/operator-checks.generated.ts')
  const checks = Object.entries(operatorChecks)
  return markdownPage(
    '# Operator checks',
    '`opsmith check PROJECT` and the Operator checks panel make these checks. Each is made with the inputs of opsmith.json, or with inputs made from the schema, and again with other shapes, layouts, dtypes and values. A finding has the smallest inputs that show it. `"skip": { "CHECK": "reason" }` in an entry of `checks` leaves a check out.',
    markdownTable(
      ['check', 'what it makes sure of'],
      checks.map(([name, { meaning }]) => [`[${name}](#${name})`, meaning]),
    ),
    ...checks.flatMap(([name, check]) => [
      `## ${name}`,
      `${prose(check.meaning)}.`,
      whenMade(check),
      `\`opsmith check PROJECT --check ${name}\` makes this check alone.`,
    ]),
  )
}
