import type { ReactElement } from 'react'

import type { OpenFile } from '../store/files'
import { layoutStore } from '../store/layout'
import { Button } from '../shell/primitives/Button'
import { Icon } from '../shell/primitives/Icon'
import { discardFile } from './models'
import { keepMine, takeTheirs } from './saving'

type Props = { file: OpenFile; comparing: boolean; onCompare: () => void }

/** The disk and the editor disagree: the user decides, nothing is overwritten silently. */
export function ConflictBar({ file, comparing, onCompare }: Props): ReactElement | null {
  if (!file.conflict) return null
  if (file.conflict.kind === 'deleted') {
    return (
      <div className="conflict-bar" role="alert" data-testid="conflict-bar">
        <Icon name="warning" />
        <span className="grow">
          This file was deleted on disk. The editor still contains the text of the file.
        </span>
        <Button onClick={() => void keepMine(file.path)}>Write the file again</Button>
        <Button onClick={() => discard(file.path)}>Discard the text</Button>
      </div>
    )
  }
  return (
    <div className="conflict-bar" role="alert" data-testid="conflict-bar">
      <Icon name="warning" />
      <span className="grow">
        This file changed on disk, and the editor contains unsaved edits.
      </span>
      <Button onClick={onCompare} pressed={comparing}>
        {comparing ? 'Back to the editor' : 'Compare'}
      </Button>
      <Button onClick={() => void keepMine(file.path)}>Keep my text</Button>
      <Button onClick={() => takeTheirs(file.path)}>Load the text on disk</Button>
    </div>
  )
}

function discard(path: string): void {
  layoutStore.getState().dock?.closeFile(path)
  discardFile(path)
}
