import { marked, type Token, type Tokens } from 'marked'
import { Fragment, type ReactElement, type ReactNode } from 'react'

import { headingAnchor } from './heading-anchor'

type Props = {
  text: string
  /** What a link does; null where it leads nowhere in the window. Without it, headings have no anchors either. */
  follow?: (href: string) => (() => void) | null
}

/**
 * Markdown as React elements. Nothing of it becomes HTML: tags in it are shown as they are written, comments are left
 * out, and a link that the window cannot follow is shown as its words.
 */
export function Markdown({ text, follow }: Props): ReactElement {
  return (
    <div className="markdown selectable" data-testid="markdown">
      <Blocks tokens={marked.lexer(text)} follow={follow} />
    </div>
  )
}

type Part = { tokens: readonly Token[]; follow: Props['follow'] }

function Blocks({ tokens, follow }: Part): ReactNode {
  return tokens.map((token, key) => <Block key={key} token={token} follow={follow} />)
}

function Block({ token, follow }: { token: Token; follow: Props['follow'] }): ReactNode {
  const inside = <Inlines token={token} follow={follow} />
  switch (token.type) {
    case 'space':
    case 'def':
    case 'html':
      return token.type === 'html' && !token.raw.startsWith('<!--') ? inside : null
    case 'paragraph':
      // A picture of the window is of no use in the window.
      return isPicture(token as Tokens.Paragraph) ? null : <p>{inside}</p>
    case 'heading':
      return <Heading token={token as Tokens.Heading} follow={follow} />
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens ?? []} follow={follow} />
        </blockquote>
      )
    case 'hr':
      return <hr />
    case 'list': {
      const { items, ordered } = token as Tokens.List
      const rows = items.map((item, index) => (
        <li key={index}>
          <Blocks tokens={item.tokens} follow={follow} />
        </li>
      ))
      return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>
    }
    case 'table':
      return <Table token={token as Tokens.Table} follow={follow} />
    default:
      return <Inline token={token} follow={follow} />
  }
}

function isPicture({ tokens }: Tokens.Paragraph): boolean {
  return tokens.length > 0 && tokens.every(({ type }) => type === 'image')
}

/** On a page, headings begin below that of the panel and can be brought into view; elsewhere they are small. */
function Heading({ token, follow }: { token: Tokens.Heading; follow: Props['follow'] }): ReactNode {
  const inside = <Inlines token={token} follow={follow} />
  if (!follow) return <h4>{inside}</h4>
  const Level = (['h2', 'h3', 'h4'] as const)[token.depth - 1] ?? 'h4'
  const words = token.text.replaceAll('`', '')
  return (
    <Level data-anchor={headingAnchor(words)} tabIndex={-1}>
      {inside}
    </Level>
  )
}

function Table({ token, follow }: { token: Tokens.Table; follow: Props['follow'] }): ReactElement {
  const cells = (row: Tokens.TableCell[]): ReactElement[] =>
    row.map((cell, index) => (
      <td key={index}>
        <Inlines token={cell as unknown as Token} follow={follow} />
      </td>
    ))
  return (
    <table>
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            <th key={index} scope="col">
              <Inlines token={cell as unknown as Token} follow={follow} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, index) => (
          <tr key={index}>{cells(row)}</tr>
        ))}
      </tbody>
    </table>
  )
}

function Inlines({ token, follow }: { token: Token; follow: Props['follow'] }): ReactNode {
  if (!('tokens' in token) || !token.tokens) return plain(token)
  return token.tokens.map((one, key) => <Inline key={key} token={one} follow={follow} />)
}

function Inline({ token, follow }: { token: Token; follow: Props['follow'] }): ReactNode {
  const inside = <Inlines token={token} follow={follow} />
  switch (token.type) {
    case 'strong':
      return <strong>{inside}</strong>
    case 'em':
      return <em>{inside}</em>
    case 'codespan':
      return <code>{plain(token)}</code>
    case 'br':
      return <br />
    case 'link': {
      const go = follow?.((token as Tokens.Link).href) ?? null
      if (!go) return <Fragment>{inside}</Fragment>
      return (
        <button type="button" className="link" onClick={go}>
          {inside}
        </button>
      )
    }
    case 'text':
    case 'del':
      return <Fragment>{inside}</Fragment>
    default:
      return plain(token)
  }
}

/** As written: the lexer's `text` has characters escaped for HTML, which this never becomes. */
function plain(token: Token): string {
  if (token.type === 'codespan') return token.raw.replace(/^`+ ?| ?`+$/g, '')
  if (token.type === 'escape') return token.raw.slice(1)
  return token.raw.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
