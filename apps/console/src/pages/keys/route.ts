import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';
import { searchBy } from '../list/use-page-search';
import { DETAIL_RULES, LIST_RULES, WIZARD_RULES } from './rules';

export const keysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'keys',
  validateSearch: searchBy(LIST_RULES),
  component: lazyRouteComponent(() => import('./page'), 'KeysPage'),
});

export const newKeyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'keys/new',
  validateSearch: searchBy(WIZARD_RULES),
  component: lazyRouteComponent(() => import('./new/page'), 'NewKeyPage'),
});

export const keyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'keys/$key',
  validateSearch: searchBy(DETAIL_RULES),
  component: lazyRouteComponent(() => import('./detail/page'), 'KeyPage'),
});
