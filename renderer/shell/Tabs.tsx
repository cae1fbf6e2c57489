import type { IDockviewPanelHeaderProps } from 'dockview-react'
import { useEffect, useRef, type MouseEvent, type ReactElement, type ReactNode } from 'react'

import { Drawing, Icon } from './primitives/Icon'
import { featureOf } from '../store/feature'
import { useFiles } from '../store/files'

export function FileTab(props: IDockviewPanelHeaderProps<{ path: string }>): ReactElement {
  const { path } = props.params
  const file = useFiles((state) => state.files[path])
  const name = path.slice(path.lastIndexOf('/') + 1)
  const state = file?.conflict ? ', conflict' : file?.dirty ? ', unsaved' : ''
  return (
    <Tab {...props} testId={`tab-${path}`} title={`${path}${state}`} dirty={file?.dirty === true}>
      <span className={file?.conflict?.kind === 'deleted' ? 'tab-name gone' : 'tab-name'}>
        {name}
      </span>
      {file?.conflict && (
        <span className="tone-warning">
          <Icon name="warning" label="conflict" />
        </span>
      )}
      {file?.external === true && <span className="muted tab-note">read-only</span>}
    </Tab>
  )
}

export function ToolTab(props: IDockviewPanelHeaderProps): ReactElement {
  const { id } = props.api
  const feature = featureOf(id)
  const title = feature?.title ?? id
  const Badge = feature?.Badge
  return (
    <Tab {...props} testId={`tool-tab-${id}`} title={title} dirty={false}>
      {feature?.panel && (
        <span className="tab-icon">
          <Drawing path={feature.panel.icon} />
        </span>
      )}
      <span className="tab-name">{title}</span>
      {Badge && <Badge />}
    </Tab>
  )
}

export function SubjectTab(
  props: IDockviewPanelHeaderProps<{ feature: string; subject: string }>,
): ReactElement {
  const { feature, subject } = props.params
  const tab = featureOf(feature)?.tab
  const title = tab?.title(subject) ?? subject
  return (
    <Tab {...props} testId={`tab-${feature}-${subject}`} title={title} dirty={false}>
      {tab && (
        <span className="tab-icon">
          <Drawing path={tab.icon} />
        </span>
      )}
      <span className="tab-name">{title}</span>
    </Tab>
  )
}

type TabProps = IDockviewPanelHeaderProps & {
  testId: string
  title: string
  dirty: boolean
  children: ReactNode
}

function Tab({ api, testId, title, dirty, children }: TabProps): ReactElement {
  const tab = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The tabs of a narrow column scroll. A tab in front grows by its ×, which is drawn in the next frame. A column that
    // becomes narrower, with the window or by its border, keeps its scroll position.
    const scroll = (): void => {
      if (api.isVisible)
        requestAnimationFrame(() => tab.current?.scrollIntoView({ inline: 'nearest' }))
    }
    scroll()
    const listening = [api.onDidVisibilityChange(scroll), api.onDidDimensionsChange(scroll)]
    return () => {
      for (const one of listening) one.dispose()
    }
  }, [api])
  const close = (event: MouseEvent): void => {
    event.stopPropagation()
    api.close()
  }
  return (
    <div
      ref={tab}
      className={dirty ? 'tab dirty' : 'tab'}
      data-testid={testId}
      data-dirty={dirty}
      title={title}
      onAuxClick={(event) => event.button === 1 && close(event)}
    >
      {children}
      {/* For the pointer only: a tab may hold no other control. With keys, "Close this tab" does it.
          The docking library takes the pointer for dragging unless it is stopped here. */}
      <span
        className="tab-close"
        aria-hidden="true"
        title={`Close ${title}`}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={close}
      >
        {dirty && (
          <span className="tab-dirty">
            <Icon name="dot" />
          </span>
        )}
        <span className="tab-x">
          <Icon name="close" />
        </span>
      </span>
      {dirty && <span className="unseen">unsaved</span>}
    </div>
  )
}
