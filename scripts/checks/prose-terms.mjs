// Words that docs/contributing/style.md rules out, each with what to write instead.

/** For textlint-rule-terminology: a pattern, and what takes its place. @type {[string, string][]} */
export const discouragedTerms = [
  ['\\b(tells|told)\\b', 'says, shows or reports'],
  ['\\bsaid\\b', 'reported, given or named'],
  ['\\bbeside\\b', 'next to, with or outside'],
  ['\\bstands\\b', 'is'],
  ['\\bmend(s|ed|ing)?\\b', 'fix'],
  ['\\banew\\b', 'again'],
  ['\\blet go\\b', 'freed or released'],
  ['\\bby (itself|themselves)\\b', 'alone or automatically'],
  ['\\b(is|are) taken\\b', 'is used, is counted or counts'],
]
