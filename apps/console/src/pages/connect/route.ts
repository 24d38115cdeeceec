import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';

/**
 * Search parameters of `/w/:ws/connect/:client?to=@openai&model=gpt-4o`, which the recipes fill in.
 */
export interface ConnectSearch {
  /** `@slug` of a provider, or `config:slug`. */
  readonly to?: string;
  readonly model?: string;
}

const TO = /^(?:@|config:)[\w.-]{1,100}$/;
const MODEL_MAX = 200;

export const decodeConnect = ({ to, model }: Readonly<Record<string, unknown>>): ConnectSearch => ({
  ...(typeof to === 'string' && TO.test(to) ? { to } : {}),
  ...(typeof model === 'string' && model !== '' && model.length <= MODEL_MAX ? { model } : {}),
});

/**
 * One component for both routes, so that the page keeps a created key, which only it knows, when
 * the user chooses another client.
 */
const ConnectPage = lazyRouteComponent(() => import('./page'), 'ConnectPage');

export const connectRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'connect',
  validateSearch: decodeConnect,
  component: ConnectPage,
});

export const connectClientRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'connect/$client',
  validateSearch: decodeConnect,
  component: ConnectPage,
});

export const tourRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'connect/tour',
  component: lazyRouteComponent(() => import('../home/page'), 'TourPage'),
});
