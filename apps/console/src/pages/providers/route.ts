import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';
import { searchBy } from '../list/use-page-search';
import { DETAIL_RULES, LIST_RULES, NEW_RULES } from './rules';

export const providersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'providers',
  validateSearch: searchBy(LIST_RULES),
  component: lazyRouteComponent(() => import('./page'), 'ProvidersPage'),
});

export const newProviderRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'providers/new',
  validateSearch: searchBy(NEW_RULES),
  component: lazyRouteComponent(() => import('./new/page'), 'NewProviderPage'),
});

export const providerRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'providers/$provider',
  validateSearch: searchBy(DETAIL_RULES),
  component: lazyRouteComponent(() => import('./detail/page'), 'ProviderPage'),
});
