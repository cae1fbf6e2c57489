import { marked, type Token, type Tokens } from 'marked'
import type { ReactElement, ReactNode } from 'react'

/**
 * Markdown as React elements. Nothing of it becomes HTML: tags in it are shown as they are written,
 * and links as their words, for the window opens no pages.
 */
export function Markdown({ text }: { text: string }): ReactElement {
  return (
    <div className="markdown selectable" data-testid="markdown">
      {marked.lexer(text).map(block)}
    </div>
  )
}

function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p key={key}>{inlines(token)}</p>
    case 'heading':
      return <h4 key={key}>{inlines(token)}</h4>
    case 'code':
      return (
        <pre key={key}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote key={key}>{(token.tokens ?? []).map(block)}</blockquote>
    case 'hr':
      return <hr key={key} />
    case 'list': {
      const list = token as Tokens.List
      const items = list.items.map((item, index) => <li key={index}>{item.tokens.map(block)}</li>)
      return list.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
    }
    case 'table':
      return <pre key={key}>{token.raw.trim()}</pre>
    default:
      return inline(token, key)
  }
}

function inlines(token: Token): ReactNode {
  return 'tokens' in token && token.tokens ? token.tokens.map(inline) : plain(token)
}

function inline(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inlines(token)}</strong>
    case 'em':
      return <em key={key}>{inlines(token)}</em>
    case 'codespan':
      return <code key={key}>{plain(token)}</code>
    case 'br':
      return <br key={key} />
    case 'text':
    case 'link':
    case 'del':
      return <span key={key}>{inlines(token)}</span>
    default:
      return <span key={key}>{plain(token)}</span>
  }
}

/** As written: the lexer's `text` has characters escaped for HTML, which this never becomes. */
function plain(token: Token): string {
  if (token.type === 'codespan') return token.raw.replace(/^`+ ?| ?`+$/g, '')
  return token.type === 'escape' ? token.raw.slice(1) : token.raw
}
