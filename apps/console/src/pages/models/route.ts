import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';
import { searchBy } from '../list/use-page-search';
import { MODEL_RULES } from './rules';

export const modelsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'models',
  validateSearch: searchBy(MODEL_RULES),
  component: lazyRouteComponent(() => import('./page'), 'ModelsPage'),
});
