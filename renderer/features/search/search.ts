import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import type { SearchMatch, SearchQuery, SearchReport } from '../../../electron/contract/search'
import { call } from '../../bridge/bridge'
import { unsavedTexts } from '../../editor/models'
import { createJob } from '../../store/job'

/** What is typed in the panel; kept by project. */
export type SearchForm = {
  text: string
  isRegex: boolean
  matchCase: boolean
  wholeWord: boolean
  include: string
  exclude: string
  /** The field for a replacement is shown. */
  replaces: boolean
  replacement: string
}

const emptyForm: SearchForm = {
  text: '',
  isRegex: false,
  matchCase: false,
  wholeWord: false,
  include: '',
  exclude: '',
  replaces: false,
  replacement: '',
}

type SearchState = {
  form: SearchForm
  /** Files whose matches are folded. */
  folded: ReadonlySet<string>
  /** Changes when the field of the text is asked to take the keyboard. */
  focusWish: number
}

export const searchStore = createStore<SearchState>(() => ({
  form: emptyForm,
  folded: new Set(),
  focusWish: 0,
}))

export function useSearch<T>(select: (state: SearchState) => T): T {
  return useStore(searchStore, select)
}

function queryOf({ replaces, replacement, ...form }: SearchForm): SearchQuery {
  return { ...form, ...(replaces && { replacement }) }
}

export const searchJob = createJob<SearchQuery, SearchReport>({
  kind: 'search',
  latest: 'wins',
  run: (query, { folder, job }) =>
    call('search.run', { folder, job, query, unsaved: unsavedTexts() }),
})

/** Milliseconds after the last key. */
const quiet = 250

/** Searches for what the form says; nothing for an empty text. Null if there is no report of it: it was stopped, say. */
export async function search(): Promise<SearchReport | null> {
  const { form } = searchStore.getState()
  if (form.text === '') {
    searchJob.clear()
    return null
  }
  const result = await searchJob.run(queryOf(form))
  return result?.ok === true ? result.value : null
}

export function searchNow(): void {
  void search()
}

export function changeForm(change: Partial<SearchForm>): void {
  searchStore.setState(({ form }) => ({ form: { ...form, ...change } }))
  searchJob.later(quiet, searchNow)
}

/** Searches again for what is shown, after files have changed. */
export function searchAgain(): void {
  if (searchJob.store.getState().value !== null) searchJob.later(quiet, searchNow)
}

export function fold(path: string, isFolded: boolean): void {
  const folded = new Set(searchStore.getState().folded)
  if (isFolded) folded.add(path)
  else folded.delete(path)
  searchStore.setState({ folded })
}

export type ResultRow =
  | { kind: 'file'; path: string; count: number; isFolded: boolean }
  | { kind: 'match'; path: string; match: SearchMatch }

/** Files with their matches below them, as they are shown. */
export function rowsOf(
  report: SearchReport | null,
  folded: ReadonlySet<string>,
): readonly ResultRow[] {
  return (report?.files ?? []).flatMap(({ path, matches }): ResultRow[] => {
    const isFolded = folded.has(path)
    const head: ResultRow = { kind: 'file', path, count: matches.length, isFolded }
    if (isFolded) return [head]
    return [head, ...matches.map((match): ResultRow => ({ kind: 'match', path, match }))]
  })
}

export function countOf(report: SearchReport): number {
  return report.files.reduce((sum, file) => sum + file.matches.length, 0)
}

export function forgetSearch(): void {
  searchStore.setState({ form: emptyForm, folded: new Set() })
}

export function savedForm(): unknown {
  return searchStore.getState().form
}

export function restoreForm(saved: unknown): void {
  if (typeof saved !== 'object' || saved === null) return
  const known = Object.entries(emptyForm).map(([name, initial]) => {
    const value = (saved as Record<string, unknown>)[name]
    return [name, typeof value === typeof initial ? value : initial]
  })
  searchStore.setState({ form: Object.fromEntries(known) as SearchForm })
}
