import { useEffect, useRef, useState, type ReactElement } from 'react'

import { Button, IconButton } from '../../shell/primitives/Button'
import { Markdown } from '../../shell/primitives/Markdown'
import { SearchField } from '../../shell/primitives/SearchField'
import { PanelActions } from './PanelActions'
import { placeOfLink } from './links'
import type { GuidePage } from './pages'
import { goBack, showGuide, useHelp, type GuidePlace } from './store'

type Pages = typeof import('./pages')

/** The documents: a list of the pages at the left, the page that is read at the right. */
export function GuidesView(): ReactElement {
  const [pages, setPages] = useState<Pages | null>(null)
  useEffect(() => {
    void import('./pages').then(setPages)
  }, [])
  if (!pages) return <p className="muted panel-pad">Loading the pages …</p>
  return (
    <div className="help-guides">
      <GuideList pages={pages} />
      <Guide pages={pages} />
    </div>
  )
}

function GuideList({ pages }: { pages: Pages }): ReactElement {
  const [query, setQuery] = useState('')
  const shown = useHelp(({ trail }) => trail.at(-1)?.page)
  const groups = pages.searchGuides(query)
  return (
    <nav className="help-list" aria-label="Pages">
      <SearchField
        value={query}
        onChange={setQuery}
        label="Search pages"
        testId="help-search-pages"
      />
      <div className="scroll">
        {groups.map(({ kind, title, pages: found }) => (
          <section key={kind}>
            <h3>{title}</h3>
            {found.map((page) => (
              <GuideRow key={page.id} page={page} isShown={page.id === shown} />
            ))}
          </section>
        ))}
        {groups.length === 0 && <p className="muted">No page contains “{query}”.</p>}
      </div>
    </nav>
  )
}

function GuideRow({ page, isShown }: { page: GuidePage; isShown: boolean }): ReactElement {
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isShown) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  return (
    <button
      ref={row}
      type="button"
      className="help-page-row"
      aria-current={isShown ? 'page' : undefined}
      data-testid={`help-page-${page.id}`}
      onClick={() => showGuide(page.id)}
    >
      {page.title}
    </button>
  )
}

function Guide({ pages }: { pages: Pages }): ReactElement {
  const place = useHelp(({ trail }) => trail.at(-1))
  const canGoBack = useHelp(({ trail }) => trail.length > 1)
  const page = place === undefined ? undefined : pages.guidePage(place.page)
  const body = useRef<HTMLElement>(null)
  useEffect(() => {
    if (body.current && place) showPlace(body.current, place)
  }, [place])
  return (
    <article
      ref={body}
      className="scroll panel-pad help-guide"
      data-testid="help-guide"
      data-page={page?.id}
      data-keeps-focus
      tabIndex={-1}
    >
      <div className="help-guide-bar">
        <IconButton
          icon="left"
          label="Back to the previous page"
          disabled={!canGoBack}
          onClick={goBack}
          testId="help-back"
        />
        {page && <PanelActions page={page.id} />}
      </div>
      {page ? (
        <Markdown text={page.text} follow={(href) => follow(pages, page.id, href)} />
      ) : (
        <>
          <p>There is no page “{place?.page}”.</p>
          <Button onClick={goBack}>Back</Button>
        </>
      )}
    </article>
  )
}

/** Scrolls to the heading, and gives it the keyboard; the beginning of the page where it has no such heading. */
function showPlace(body: HTMLElement, { anchor }: GuidePlace): void {
  const headings = [...body.querySelectorAll<HTMLElement>('[data-anchor]')]
  const heading = headings.find(({ dataset }) => dataset['anchor'] === anchor)
  for (const one of headings) one.classList.toggle('asked', one === heading)
  if (heading) {
    heading.scrollIntoView({ block: 'start' })
    heading.focus()
  } else {
    body.scrollTop = 0
    body.focus()
  }
}

function follow(pages: Pages, from: string, href: string): (() => void) | null {
  const place = placeOfLink(from, href)
  if (place === null || !pages.guidePage(place.split('#')[0] ?? '')) return null
  return () => showGuide(place)
}
