import type { ReactElement } from 'react'

import { Segmented } from '../../shell/primitives/Segmented'
import { AboutView } from './AboutView'
import { GuidesView } from './GuidesView'
import { KeysView } from './KeysView'
import { PanelsView } from './PanelsView'
import { helpStore, useHelp, type HelpSection } from './store'

/** The documents, what each panel is for, all keys, and which versions these are. */
export function HelpPanel(): ReactElement {
  const section = useHelp((state) => state.section)
  return (
    <div className="panel-column page" data-testid="help-panel">
      <div className="panel-bar">
        <Segmented<HelpSection>
          label="Part of Help"
          value={section}
          onChange={(next) => helpStore.setState({ section: next })}
          options={[
            { value: 'guides', label: 'Guides', testId: 'help-guides' },
            { value: 'panels', label: 'Panels', testId: 'help-panels' },
            { value: 'keys', label: 'Keys', testId: 'help-keys' },
            { value: 'about', label: 'About', testId: 'help-about' },
          ]}
        />
      </div>
      {section === 'guides' && <GuidesView />}
      {section === 'panels' && <PanelsView />}
      {section === 'keys' && <KeysView />}
      {section === 'about' && <AboutView />}
    </div>
  )
}
