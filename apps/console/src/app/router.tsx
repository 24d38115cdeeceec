import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouterHistory,
} from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom } from '../api';
import { ME_PAGES, ORGANISATION_PAGES, WORKSPACE_PAGES } from '../pages';
import {
  meRoute,
  organisationRoute,
  rootRoute,
  sessionRoute,
  workspaceRoute,
  type RouterContext,
} from './routes';
import { SessionGate } from './session/session-gate';
import { NoWorkspace, NotFound } from './shell/not-found';
import { WorkspaceGate } from './shell/workspace-gate';
import { useShownWorkspace } from './shell/use-shown-workspace';
import { Failed } from '../ui/states';
// Imports the file instead of the index, so that the first download does not include the codecs of
// the pages.
import { parseSearch, stringifySearch } from '../url/search-text';

/** `/` redirects to Home of the workspace that was last open. */
function ToFirstWorkspace(): ReactElement {
  const ws = useShownWorkspace()?.slug;
  return ws === undefined ? <NoWorkspace /> : <Navigate to="/w/$ws" params={{ ws }} replace />;
}

const indexRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/',
  component: ToFirstWorkspace,
});

/** `/login` redirects to Home after the sign-in. */
const loginRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/login',
  component: ToFirstWorkspace,
});
const claimRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/claim',
  component: lazyRouteComponent(() => import('./session/claim-page'), 'ClaimPage'),
});
const ssoRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login/sso',
  component: lazyRouteComponent(() => import('./session/sso-page'), 'SsoPage'),
});
const ssoDoneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login/done',
  component: lazyRouteComponent(() => import('./session/sso-page'), 'SsoDonePage'),
});

const routeTree = rootRoute
  .update({ component: Outlet, notFoundComponent: NotFound })
  .addChildren([
    claimRoute,
    ssoRoute,
    ssoDoneRoute,
    sessionRoute
      .update({ component: SessionGate })
      .addChildren([
        indexRoute,
        loginRoute,
        workspaceRoute.update({ component: WorkspaceGate }).addChildren(WORKSPACE_PAGES),
        organisationRoute.addChildren(ORGANISATION_PAGES),
        meRoute.addChildren(ME_PAGES),
      ]),
  ]);

/**
 * Creates the router. `basepath` is the path of `<base href>`; `history` defaults to the browser's.
 */
export const makeRouter = (basepath: string, context: RouterContext, history?: RouterHistory) =>
  createRouter({
    routeTree,
    basepath,
    history,
    context,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => <Failed problem={problemFrom(error)} onRetry={reset} />,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
