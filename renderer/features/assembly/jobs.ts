import type {
  AssemblyChoice,
  AssemblyForm,
  AssemblyListing,
  AssemblyReport,
} from '../../../electron/contract/assembly'
import { err, ok } from '../../../electron/contract/outcome'
import { call } from '../../bridge/bridge'
import { createJob, useJob, type Job } from '../../store/job'
import { assemblyStore } from './store'

export type ShownFunction = {
  report: AssemblyReport
  /** The sources that it is of. */
  stamp: string | null
}

/** The functions of the library that was built last. */
export const listJob = createJob<AssemblyForm, AssemblyListing>({
  kind: 'assembly-list',
  latest: 'overtakes',
  run: (form, { folder }) => call('assembly.list', { folder, form }),
})

/** The instructions of one function. */
export const showJob: Job<AssemblyChoice, ShownFunction> = createJob({
  kind: 'assembly',
  latest: 'overtakes',
  keepsValue: true,
  run: async (choice, { folder }) => {
    const result = await call('assembly.show', { folder, choice })
    if (result.ok) return ok({ report: result.value, stamp: assemblyStore.getState().stamp })
    const isOfCaret = choice.name === ''
    // Where the caret is in no function, what is shown stays.
    if (isOfCaret && showJob.store.getState().value !== null) {
      return err(
        'cancelled',
        'The cursor is not in a function. Place the cursor in the body of a function.',
      )
    }
    return result
  },
  isWanted: ({ form }) => assemblyStore.getState().form === form,
})

export function useListing(): AssemblyListing | null {
  return useJob(listJob, (state) => state.value)
}

export function useShownFunction(): ShownFunction | null {
  return useJob(showJob, (state) => state.value)
}

export function shownReport(): AssemblyReport | null {
  return showJob.store.getState().value?.report ?? null
}
