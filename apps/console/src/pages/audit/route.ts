import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organisationRoute } from '../../app/routes';
import { searchBy } from '../list/use-page-search';
import { AUDIT_RULES } from './rules';

export const auditRoute = createRoute({
  getParentRoute: () => organisationRoute,
  path: 'audit',
  validateSearch: searchBy(AUDIT_RULES),
  component: lazyRouteComponent(() => import('./page'), 'AuditPage'),
});
