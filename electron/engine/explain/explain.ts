import type { Diagnostic } from '../../contract/diagnostics'
import { autogradRules } from './autograd-rules'
import { registrationRules } from './registration-rules'
import type { Rule } from './rule'
import { valueRules } from './value-rules'

const rules: readonly Rule[] = [...registrationRules, ...autogradRules, ...valueRules]

/** A message of a compiler, placed where the user's code asked for it, and all it said of it. */
export interface RawDiagnostic {
  diagnostic: Diagnostic
  raw: string
  /** It arose in a header that is not the project's. */
  isFromElsewhere: boolean
}

const longestRaw = 64 << 10

function explained({ diagnostic, raw, isFromElsewhere }: RawDiagnostic): {
  diagnostic: Diagnostic
  rule: Rule | undefined
} {
  // What arose elsewhere carries its message in its first note as well.
  const message = diagnostic.message
  const kept = raw.length > longestRaw ? `${raw.slice(0, longestRaw)}\n…` : raw
  const rule = rules.find((one) => one.match.test(message) && (one.within?.test(raw) ?? true))
  if (!rule) {
    return {
      diagnostic: isFromElsewhere ? { ...diagnostic, raw: kept } : diagnostic,
      rule: undefined,
    }
  }
  const groups = (rule.match.exec(message) ?? []).slice(1).filter((group) => group !== undefined)
  const fix = rule.fix?.(diagnostic, groups)
  return {
    diagnostic: {
      ...diagnostic,
      message: rule.message(groups, raw),
      explanation: rule.explanation,
      raw: kept,
      ...(fix && !isFromElsewhere ? { fixes: [fix] } : {}),
    },
    rule,
  }
}

const places = (a: Diagnostic, b: Diagnostic): boolean => a.file === b.file && a.line === b.line

/**
 * Says in plain words what the commonest messages mean. What follows from a mistake that is explained,
 * the same message again or more of libtorch's templates on the same line, is told in its `raw` only.
 */
export function explainAll(given: readonly RawDiagnostic[]): Diagnostic[] {
  const told: { diagnostic: Diagnostic; rule: Rule | undefined }[] = []
  for (const one of given) {
    const next = explained(one)
    const { diagnostic, rule } = next
    const cause = told.find(
      (before) =>
        before.rule !== undefined &&
        before.diagnostic.file === diagnostic.file &&
        (before.rule.absorbs?.test(one.diagnostic.message) === true ||
          (places(before.diagnostic, diagnostic) &&
            (before.diagnostic.message === diagnostic.message ||
              rule?.explanation === before.rule.explanation ||
              (one.isFromElsewhere && rule === undefined)))),
    )
    if (!cause) {
      told.push(next)
      continue
    }
    // Of two that mean the same, the one whose rule comes first says it better.
    if (rule && cause.rule && rules.indexOf(rule) < rules.indexOf(cause.rule)) {
      cause.rule = rule
      cause.diagnostic = { ...cause.diagnostic, message: diagnostic.message }
    }
    const raw = `${cause.diagnostic.raw ?? ''}\n${one.raw}`
    cause.diagnostic = { ...cause.diagnostic, raw: raw.slice(0, longestRaw) }
  }
  // A compiler warns of a deprecated name before the error that is explained by it.
  const isCovered = ({ diagnostic, rule }: (typeof told)[number]): boolean =>
    rule === undefined &&
    diagnostic.severity === 'warning' &&
    told.some(
      (other) =>
        other.rule?.absorbs?.test(diagnostic.message) === true &&
        places(other.diagnostic, diagnostic),
    )
  return told.filter((one) => !isCovered(one)).map(({ diagnostic }) => diagnostic)
}
