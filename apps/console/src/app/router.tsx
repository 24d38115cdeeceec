import { createRoute, createRouter, Navigate, Outlet } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ME_PAGES, ORGANISATION_PAGES, WORKSPACE_PAGES } from '../pages';
import { meRoute, organisationRoute, rootRoute, sessionRoute, workspaceRoute } from './routes';
import { SessionGate } from './session/session-gate';
import { FailedPage } from './shell/failed-page';
import { NotFound } from './shell/not-found';
import { WorkspaceGate } from './shell/workspace-gate';
import { useSelf } from './state/session-context';

/** `/`: Home of the first workspace. */
function ToFirstWorkspace(): ReactElement {
  const ws = useSelf().workspaces[0]?.slug;
  return ws === undefined ? <NotFound /> : <Navigate to="/w/$ws" params={{ ws }} replace />;
}

const indexRoute = createRoute({
  getParentRoute: () => sessionRoute,
  path: '/',
  component: ToFirstWorkspace,
});

const routeTree = rootRoute
  .update({ component: Outlet, notFoundComponent: NotFound })
  .addChildren([
    sessionRoute
      .update({ component: SessionGate })
      .addChildren([
        indexRoute,
        workspaceRoute.update({ component: WorkspaceGate }).addChildren(WORKSPACE_PAGES),
        organisationRoute.addChildren(ORGANISATION_PAGES),
        meRoute.addChildren(ME_PAGES),
      ]),
  ]);

/** `basepath` is the path of `<base href>`. */
export const makeRouter = (basepath: string) =>
  createRouter({
    routeTree,
    basepath,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => <FailedPage problem={error} onRetry={reset} />,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
