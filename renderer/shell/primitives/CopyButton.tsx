import { useEffect, useState, type ReactElement } from 'react'

import { notify } from '../../store/notifications'
import { Button, IconButton } from './Button'

type Props = {
  /** Asked for when it is wanted: a log may be long. */
  text: () => string
  label: string
  /** Shown beside the icon, where several things can be copied. */
  word?: string
  testId?: string
}

export function CopyButton({ text, label, word, testId }: Props): ReactElement {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (): Promise<void> => {
    if (await copyText(text())) {
      setCopied(true)
    } else {
      notify('error', 'Could not copy to the clipboard.')
    }
  }
  if (word !== undefined) {
    return (
      <Button
        icon={copied ? 'check' : 'copy'}
        title={copied ? 'Copied' : label}
        onClick={() => void copy()}
        {...(testId === undefined ? {} : { testId })}
      >
        {word}
      </Button>
    )
  }
  return (
    <IconButton
      icon={copied ? 'check' : 'copy'}
      label={copied ? 'Copied' : label}
      onClick={() => void copy()}
    />
  )
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Permissions are denied to this window; the old way works from a click.
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    document.body.append(area)
    area.select()
    // oxlint-disable-next-line typescript/no-deprecated -- the one way without a permission
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}
