import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'

import { Icon } from './Icon'

export type MenuItem = {
  key: string
  label: ReactNode
  title?: string
  note?: string
  /** Set for what is on or off. */
  checked?: boolean
  disabled?: boolean
  testId?: string
  run: () => void
}

type Props = {
  label: ReactNode
  name: string
  sections: MenuItem[][]
  testId: string
  /** The side of the button that the list is in line with. */
  align?: 'left' | 'right'
}

/** A button with a list of actions; arrows walk, Escape closes. */
export function Menu({ label, name, sections, testId, align = 'left' }: Props): ReactElement {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!open) return
    root.current?.querySelector<HTMLElement>('[role^=menuitem]:not(:disabled)')?.focus()
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
    const items = [
      ...(root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? []),
    ]
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
        onClick={() => setOpen(!open)}
        data-testid={testId}
      >
        <span className="unseen">{name}: </span>
        {label} <Icon name="down" />
      </button>
      {open && (
        <div
          className={align === 'right' ? 'menu-list from-right' : 'menu-list'}
          role="menu"
          aria-label={name}
        >
          <MenuSections sections={sections} onChosen={() => setOpen(false)} />
        </div>
      )}
    </div>
  )
}

type SectionsProps = { sections: MenuItem[][]; onChosen: () => void }

/** The entries of a menu, with a line between its sections. */
export function MenuSections({ sections, onChosen }: SectionsProps): ReactElement {
  return (
    <>
      {sections
        .filter((section) => section.length > 0)
        .map((section, index) => (
          <div key={index} className="menu-section" role="group">
            {section.map((item) => (
              <button
                key={item.key}
                type="button"
                role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
                aria-checked={item.checked}
                disabled={item.disabled}
                data-testid={item.testId}
                tabIndex={-1}
                title={item.title}
                onClick={() => {
                  onChosen()
                  item.run()
                }}
              >
                {item.checked !== undefined && (
                  <span className="menu-check">{item.checked && <Icon name="check" />}</span>
                )}
                <span className="grow ellipsis">{item.label}</span>
                {item.note !== undefined && item.note !== '' && <kbd>{item.note}</kbd>}
              </button>
            ))}
          </div>
        ))}
    </>
  )
}
