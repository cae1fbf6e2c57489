import { useEffect, type ReactElement } from 'react'
import { useStore } from 'zustand'

import { CompareView } from '../../editor/CompareView'
import { loadModel } from '../../editor/models'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { addFile, filesStore, useFiles } from '../../store/files'
import { headOf, headsStore } from './heads'

/** A file next to what the last commit has; the right side is the file itself, and can be edited. */
export function HeadTab({ subject: path }: { subject: string }): ReactElement {
  const isReady = useFiles((state) => state.files[path]?.state === 'ready')
  const isGone = useFiles((state) => state.files[path]?.state === 'failed')
  const head = useStore(headsStore, (state) => state.texts.get(path))
  useEffect(() => {
    if (!filesStore.getState().files[path]) addFile(path, false)
    void loadModel(path)
  }, [path])
  useEffect(() => {
    if (head === undefined) void headOf(path)
  }, [path, head])
  if (isGone) return <EmptyState text={`${path} can no longer be read.`} />
  if (!isReady || head === undefined) return <EmptyState text={`Comparing ${path} …`} quiet />
  if (head === null) return <EmptyState text={`The last commit contains no text file ${path}.`} />
  return (
    <div className="file-panel" data-testid={`head-${path}`}>
      <CompareView path={path} original={head} label={`${path}: last commit and current text`} />
    </div>
  )
}

export function titleOf(path: string): string {
  return `${path.slice(path.lastIndexOf('/') + 1)} (HEAD)`
}
