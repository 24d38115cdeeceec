import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const logsEntry: PageEntry = {
  id: 'logs',
  group: 'observe',
  label: pageNames.logs,
  to: '/w/$ws/logs',
  icon: 'list',
  operation: 'logs_list',
  chord: 'L',
};
