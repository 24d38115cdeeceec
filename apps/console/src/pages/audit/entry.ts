import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const auditEntry: PageEntry = {
  id: 'audit',
  group: 'organisation',
  label: pageNames.audit,
  to: '/org/audit',
  icon: 'history',
  operation: 'auditLogs_list',
  feature: 'audit_logs',
};
