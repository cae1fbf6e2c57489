import type { Finding } from '../../contract/doctor'

/** What a finding says where there is nothing to say. */
export const blank = {
  version: '',
  judgement: 'usable',
  why: '',
  remedy: '',
  chosen: false,
  facts: [],
} satisfies Partial<Finding>
