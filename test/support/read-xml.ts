export interface XmlElement {
  name: string
  attributes: Map<string, string>
  children: XmlElement[]
  text: string
}

function checkText(part: string): void {
  if (/&(?!(amp|lt|gt|quot|#\d+);)/.test(part) || part.includes('<'))
    throw new Error(`not escaped: ${part}`)
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function unescape(text: string): string {
  return text.replace(/&(#(\d+)|\w+);/g, (_all, name: string, code: string | undefined) =>
    code === undefined ? (entities[name] ?? '') : String.fromCodePoint(Number(code)),
  )
}

/** Reads XML as strictly as our writers need: well-formed, or an error that says what is not. */
export function readXml(text: string): XmlElement {
  const body = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(body))
    throw new Error('a control character')
  if (/\p{Surrogate}/u.test(body)) throw new Error('half a surrogate pair')
  const top: XmlElement = { name: '', attributes: new Map(), children: [], text: '' }
  const stack = [top]
  const inner = (): XmlElement => stack.at(-1) ?? top
  let at = 0
  while (at < body.length) {
    const open = body.indexOf('<', at)
    const between = body.slice(at, open < 0 ? body.length : open)
    checkText(between)
    inner().text += unescape(between)
    if (open < 0) break
    const match = /^<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/.exec(
      body.slice(open),
    )
    if (!match) throw new Error(`no tag: ${body.slice(open, open + 60)}`)
    at = open + match[0].length
    const [, isEnd, name = '', list = '', isEmpty] = match
    if (isEnd === '/') {
      const ended = stack.pop()
      if (ended?.name !== name) throw new Error(`</${name}> ends <${ended?.name ?? ''}>`)
      continue
    }
    const attributes = new Map<string, string>()
    for (const [, key = '', given = ''] of list.matchAll(/([\w:-]+)="([^"]*)"/g)) {
      if (attributes.has(key)) throw new Error(`${key} twice`)
      checkText(given)
      // A parser turns what breaks a line into a space, unless it is written as a number.
      attributes.set(key, unescape(given.replace(/[\t\n\r]/g, ' ')))
    }
    const element: XmlElement = { name, attributes, children: [], text: '' }
    inner().children.push(element)
    if (isEmpty !== '/') stack.push(element)
  }
  const [only] = top.children
  if (stack.length !== 1 || !only || top.children.length !== 1) throw new Error('not one element')
  return only
}

export function everyElement(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap(everyElement)]
}
