import { z } from 'zod'

import { operatorCheckNames } from './operator-checks.generated'

/** The checks of operators; native/runtime/operator_check/checks says what each is. */
export const operatorCheckName = z.enum(operatorCheckNames)
export type OperatorCheckName = z.infer<typeof operatorCheckName>

/** The name and meaning of a check, as the addon declares it. */
export const operatorCheckDescription = z.object({
  name: z.string(),
  title: z.string(),
  /** What it makes sure of. */
  meaning: z.string(),
  /** Why it is made only when it is named; "" when it is always made. */
  onlyWhenAsked: z.string(),
  /** A sanitizer's, in a build and an op host of their own. */
  sanitizer: z.boolean(),
  /** `opsmith check --thorough` asks for it. */
  thorough: z.boolean(),
})

/** They run on a separate build, in a separate op host. */
export const sanitizerCheck = operatorCheckName.extract([
  'address_sanitizer',
  'undefined_behaviour_sanitizer',
])
export type SanitizerCheck = z.infer<typeof sanitizerCheck>
