import { useEffect, useState, type ReactElement } from 'react'

import { call } from '../../bridge/bridge'
import { changeSettings, useSettings } from '../../store/settings'
import { CheckSetting } from './CheckSetting'

/** Says exactly what goes over the network. */
const words = (address: string): string =>
  address === ''
    ? 'this build has no release address, so it cannot look for a newer version; nothing goes over the network'
    : `at most once a day, GET ${address} (with User-Agent “opsmith”; no version, no data about you or this machine). Opsmith compares the version in the answer with its own. It downloads nothing else`

export function VersionSetting(): ReactElement {
  const isOn = useSettings((settings) => settings.checkVersion)
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    void call('version.address', {}).then((result) => {
      if (result.ok) setAddress(result.value.address)
    })
  }, [])
  return (
    <CheckSetting
      id="settings-check-version"
      label="Newer version"
      words={address === null ? '' : words(address)}
      checked={isOn && address !== ''}
      disabled={address === null || address === ''}
      onChange={(checkVersion) => changeSettings({ checkVersion })}
    />
  )
}
