import type { ReactElement, ReactNode } from 'react'

import { Icon, type IconName } from './Icon'

type ButtonProps = {
  children: ReactNode
  onClick: () => void
  icon?: IconName
  /** The one action a view is there for. */
  primary?: boolean
  disabled?: boolean
  pressed?: boolean
  title?: string
  testId?: string
}

export function Button(props: ButtonProps): ReactElement {
  const {
    children,
    onClick,
    icon,
    primary = false,
    disabled = false,
    pressed,
    title,
    testId,
  } = props
  return (
    <button
      type="button"
      className={primary ? 'button primary' : 'button'}
      onClick={onClick}
      disabled={disabled}
      aria-pressed={pressed}
      title={title}
      data-testid={testId}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

type IconButtonProps = {
  icon: IconName
  label: string
  onClick: () => void
  disabled?: boolean
  pressed?: boolean
  testId?: string
}

/** A button without a word: the label is its name and its tooltip. */
export function IconButton(props: IconButtonProps): ReactElement {
  const { icon, label, onClick, disabled = false, pressed, testId } = props
  return (
    <button
      type="button"
      className="icon-button"
      onClick={onClick}
      disabled={disabled}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      data-testid={testId}
    >
      <Icon name={icon} />
    </button>
  )
}
