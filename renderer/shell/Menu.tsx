import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'

import { Icon } from './primitives/Icon'

export type MenuItem = {
  key: string
  label: ReactNode
  title?: string
  note?: string
  run: () => void
}

type Props = { label: ReactNode; name: string; sections: MenuItem[][]; testId: string }

/** A button with a list of actions; arrows walk, Escape closes. */
export function Menu({ label, name, sections, testId }: Props): ReactElement {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!open) return
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const away = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    window.addEventListener('pointerdown', away, { capture: true })
    return () => window.removeEventListener('pointerdown', away, { capture: true })
  }, [open])

  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      setOpen(false)
      root.current?.querySelector('button')?.focus()
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || !open) return
    event.preventDefault()
    const items = [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    items[(at + step + items.length) % items.length]?.focus()
  }

  return (
    <div className="menu" ref={root} onKeyDown={keys}>
      <button
        type="button"
        className="toolbar-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={name}
        onClick={() => setOpen(!open)}
        data-testid={testId}
      >
        {label} <Icon name="down" />
      </button>
      {open && (
        <div className="menu-list" role="menu" aria-label={name}>
          {sections
            .filter((section) => section.length > 0)
            .map((section, index) => (
              <div key={index} className="menu-section" role="group">
                {section.map((item) => (
                  <button
                    key={item.key}
                    type="button"
                    role="menuitem"
                    tabIndex={-1}
                    title={item.title}
                    onClick={() => {
                      setOpen(false)
                      item.run()
                    }}
                  >
                    <span className="grow ellipsis">{item.label}</span>
                    {item.note !== undefined && item.note !== '' && <kbd>{item.note}</kbd>}
                  </button>
                ))}
              </div>
            ))}
        </div>
      )}
    </div>
  )
}
