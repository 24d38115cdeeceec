import type { PageEntry } from '../../app/page-entry';
import { connect } from '../../messages';

export const connectEntry: PageEntry = {
  id: 'connect',
  group: 'top',
  label: connect.title,
  to: '/w/$ws/connect',
  icon: 'plug',
  chord: 'N',
};
