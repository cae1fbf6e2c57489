import { defineFeature } from '../../store/feature'
import { profileCommands } from './commands'
import { profileJob } from './profile-job'
import { forgetProfile, refreshProfile } from './profile-run'
import { ProfilePanel } from './ProfilePanel'
import './styles.css'

export const feature = defineFeature({
  id: 'profile',
  title: 'Profile',
  panel: { Panel: ProfilePanel, area: 'right', order: 70 },
  commands: profileCommands(),
  jobs: [profileJob],
  refresh: { order: 80, run: refreshProfile },
  forget: forgetProfile,
})
