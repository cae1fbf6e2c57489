import { defineFeature } from '../../store/feature'
import { GalleryPanel } from './GalleryPanel'
import './styles.css'
import { Welcome } from './Welcome'

export const feature = defineFeature({
  id: 'gallery',
  title: 'Samples',
  panel: {
    Panel: GalleryPanel,
    icon: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
    help: {
      about: ['Sample projects to learn from. Each sample opens as a copy that you can change.'],
    },
    Page: Welcome,
    isStartPage: true,
    area: 'middle',
    order: 30,
    menu: 'project',
  },
})
