import { calledName } from '../../syntax/functions'
import { findAll } from '../../syntax/syntax-tree'
import type { Lint, LintFinding } from '../lint'
import type { LintedSources } from '../project-sources'

const documentation = `A call of \`__snake__\`.

Say here what goes wrong in the operator, and what to write instead.

\`\`\`cpp
at::Tensor f(const at::Tensor& x) { return x.clone(); }
\`\`\``

function check(project: LintedSources): LintFinding[] {
  return project.functions.flatMap(({ source, body }) =>
    findAll(body, 'call_expression')
      .filter((node) => calledName(source, node) === '__snake__')
      .map((node) => ({ source, node, message: '__snake__ is called.' })),
  )
}

export const lint: Lint = { code: 'opsmith-__name__', documentation, check }
