import { useEffect, useRef, type KeyboardEvent, type ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { ErrorView } from '../../shell/primitives/ErrorView'
import { formatCount } from '../../shell/primitives/format'
import { Icon } from '../../shell/primitives/Icon'
import { useJob } from '../../store/job'
import { replaceAll } from './replace'
import { changeForm, countOf, searchJob, searchNow, useSearch, type SearchForm } from './search'
import { SearchResults } from './SearchResults'

export function SearchPanel(): ReactElement {
  return (
    <div className="panel-column search-panel" data-testid="search-panel">
      <Fields />
      <Outcome />
    </div>
  )
}

const switches = [
  { name: 'matchCase', sign: 'Aa', label: 'Match case' },
  { name: 'wholeWord', sign: 'ab|', label: 'Whole words' },
  { name: 'isRegex', sign: '.*', label: 'Regular expression' },
] as const

function Fields(): ReactElement {
  const form = useSearch((state) => state.form)
  const focusWish = useSearch((state) => state.focusWish)
  const field = useRef<HTMLInputElement>(null)
  const hasMatches = useJob(searchJob, (state) => (state.value?.files.length ?? 0) > 0)
  useEffect(() => {
    if (focusWish === 0) return
    field.current?.focus()
    field.current?.select()
  }, [focusWish])
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') searchNow()
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    document.querySelector<HTMLElement>('[data-search-row]')?.focus()
  }
  return (
    <div className="search-fields" role="search">
      <div className="search-line">
        <input
          ref={field}
          value={form.text}
          placeholder="Search"
          aria-label="Search in files"
          spellCheck={false}
          data-testid="search-text"
          onChange={(event) => changeForm({ text: event.target.value })}
          onKeyDown={onKey}
        />
        {switches.map(({ name, sign, label }) => (
          <button
            key={name}
            type="button"
            className="button search-switch"
            aria-pressed={form[name]}
            title={label}
            data-testid={`search-${name}`}
            onClick={() => changeForm({ [name]: !form[name] })}
          >
            {sign}
            <span className="unseen"> {label}</span>
          </button>
        ))}
        <button
          type="button"
          className="button search-switch"
          aria-pressed={form.replaces}
          title="Show the field for the replacement (Ctrl+Shift+H)"
          data-testid="search-replaces"
          onClick={() => changeForm({ replaces: !form.replaces })}
        >
          Replace
        </button>
      </div>
      {form.replaces && (
        <div className="search-line">
          <TextField name="replacement" label="Replace with" form={form} />
          <Button
            disabled={!hasMatches}
            onClick={() => void replaceAll()}
            testId="search-replace-all"
          >
            Replace all
          </Button>
        </div>
      )}
      <div className="search-line">
        <TextField name="include" label="Files to include: *.cpp, src" form={form} />
        <TextField name="exclude" label="Files to exclude" form={form} />
      </div>
    </div>
  )
}

type TextFieldProps = {
  name: 'replacement' | 'include' | 'exclude'
  label: string
  form: SearchForm
}

function TextField({ name, label, form }: TextFieldProps): ReactElement {
  return (
    <input
      value={form[name]}
      placeholder={label}
      aria-label={label}
      spellCheck={false}
      data-testid={`search-${name}`}
      onChange={(event) => changeForm({ [name]: event.target.value })}
      onKeyDown={(event) => event.key === 'Enter' && searchNow()}
    />
  )
}

function Outcome(): ReactElement {
  const text = useSearch((state) => state.form.text)
  const { value: report, running, error } = useJob(searchJob, (state) => state)
  if (text === '')
    return (
      <EmptyState
        icon="search"
        text="Searches the files of the project, including unsaved edits. Skips files that .gitignore lists, build folders and binary files."
        quiet
      />
    )
  if (error)
    return (
      <div className="panel-pad">
        <ErrorView error={error} testId="search-error" />
      </div>
    )
  if (!report) return <EmptyState text="Searching …" quiet />
  const count = countOf(report)
  const matches = `${count.toLocaleString('en')} ${count === 1 ? 'match' : 'matches'}`
  const files = `${report.files.length} ${report.files.length === 1 ? 'file' : 'files'}`
  return (
    <>
      <p className="search-note muted" role="status" data-testid="search-note">
        {count === 0
          ? `Nothing found in ${formatCount(report.searched, 'file')}.`
          : `${matches} in ${files}`}
        {report.isCut && ' (more results exist: narrow the search)'}
        {running !== null && <Icon name="refresh" label="searching" />}
      </p>
      {count > 0 && <SearchResults report={report} />}
    </>
  )
}
