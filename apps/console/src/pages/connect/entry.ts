import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const connectEntry: PageEntry = {
  id: 'connect',
  group: 'top',
  label: pageNames.connect,
  to: '/w/$ws/connect',
  icon: 'plug',
  chord: 'N',
};
