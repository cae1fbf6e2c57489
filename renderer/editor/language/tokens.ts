import type { SemanticTokens } from '../../../electron/contract/language'
import type { Monaco } from '../monaco'

/** The kinds that a theme colours, by clangd's names; all others look like plain text. */
const types = [
  'variable',
  'parameter',
  'function',
  'method',
  'property',
  'class',
  'interface',
  'enum',
  'enumMember',
  'type',
  'namespace',
  'typeParameter',
  'concept',
  'macro',
  'comment',
]
const modifiers = ['deprecated', 'readonly', 'static', 'usedAsMutableReference']

export const legend: Monaco.languages.SemanticTokensLegend = {
  tokenTypes: types,
  tokenModifiers: modifiers,
}

/** Tokens of clangd's legend in ours; a token of a kind that is not coloured is left out. */
export function tokensOf(tokens: SemanticTokens): Uint32Array {
  const typeOf = tokens.legend.types.map((name) => types.indexOf(name))
  const modifierOf = tokens.legend.modifiers.map((name) => modifiers.indexOf(name))
  const data: number[] = []
  // Places are relative to the token before: what a left out one has moved counts for the next.
  let lines = 0
  let columns = 0
  for (let index = 0; index + 4 < tokens.data.length; index += 5) {
    const [line = 0, column = 0, length = 0, type = 0, bits = 0] = tokens.data.slice(
      index,
      index + 5,
    )
    lines += line
    columns = line > 0 ? column : columns + column
    const ours = typeOf[type] ?? -1
    if (ours < 0) continue
    const kept = modifierOf.reduce(
      (sum, modifier, bit) => (modifier >= 0 && (bits >> bit) & 1 ? sum | (1 << modifier) : sum),
      0,
    )
    data.push(lines, columns, length, ours, kept)
    lines = 0
    columns = 0
  }
  return new Uint32Array(data)
}
