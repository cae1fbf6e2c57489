import type { ReactElement } from 'react'

import { useUncalledCuda } from '../../store/cuda'
import { Icon } from './Icon'

/** Says that CUDA kernels were compiled and cannot be called on this machine; nothing where they can. */
export function UncalledCuda({ op }: { op?: string }): ReactElement | null {
  const text = useUncalledCuda(op)
  if (text === '') return null
  return (
    <p className="note-bar muted" role="note" data-testid="uncalled-cuda">
      <Icon name="chip" /> {text}
    </p>
  )
}
