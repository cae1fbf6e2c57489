import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactPortal } from 'react'
import { createPortal } from 'react-dom'

import { MenuSections, type MenuItem } from './Menu'

type Props = {
  name: string
  /** Where it was asked for, in pixels of the window. */
  x: number
  y: number
  sections: MenuItem[][]
  onClose: () => void
}

/** A menu at the pointer. Arrows walk; Escape and a click elsewhere close it, and the keyboard goes back. */
export function ContextMenu({ name, x, y, sections, onClose }: Props): ReactPortal {
  const root = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  }, [onClose])

  useLayoutEffect(() => {
    const menu = root.current
    if (!menu) return
    const { width, height } = menu.getBoundingClientRect()
    menu.style.left = `${Math.max(0, Math.min(x, window.innerWidth - width - 4))}px`
    menu.style.top = `${Math.max(0, Math.min(y, window.innerHeight - height - 4))}px`
  }, [x, y])

  useEffect(() => {
    const before = document.activeElement
    root.current?.querySelector<HTMLElement>('[role^=menuitem]:not(:disabled)')?.focus()
    const away = (event: Event): void => {
      if (!(event.target instanceof Node) || !root.current?.contains(event.target)) close.current()
    }
    window.addEventListener('pointerdown', away, { capture: true })
    window.addEventListener('blur', away)
    return () => {
      window.removeEventListener('pointerdown', away, { capture: true })
      window.removeEventListener('blur', away)
      const isFree = document.activeElement === document.body || document.activeElement === null
      if (isFree && before instanceof HTMLElement) before.focus()
    }
  }, [])

  const keys = (event: KeyboardEvent): void => {
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const items = [
      ...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)'),
    ]
    const at = items.indexOf(document.activeElement as HTMLElement)
    items[(at + step + items.length) % items.length]?.focus()
  }

  // In no panel: a panel cuts what is larger than itself. Tests of a panel have no main part of the window.
  return createPortal(
    <div
      ref={root}
      className="menu-list context-menu"
      role="menu"
      aria-label={name}
      data-testid="context-menu"
      onKeyDown={keys}
      onContextMenu={(event) => event.preventDefault()}
    >
      <MenuSections sections={sections} onChosen={onClose} />
    </div>,
    document.querySelector('main') ?? document.body,
  )
}
