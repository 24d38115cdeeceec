import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useMemo, useState, type ReactElement } from 'react';
import { useRead } from '../../api';
import { Failed } from '../../ui/states';
import { ErrorBoundary } from '../../ui/states/error-boundary';
import { Shell } from '../shell/shell';
import { SessionContext } from '../state/session-context';
import { adoptSession } from './adopt';
import { FACTS } from './first-facts';
import { hidePage } from './session-over';
import { notifyTabs } from './tabs';
import { useKeptDialogs } from './use-kept-dialogs';
import { useSessionState } from './use-session-state';

const SignIn = lazy(async () => ({ default: (await import('./sign-in')).SignIn }));
const Enrolment = lazy(async () => ({ default: (await import('../../factors/enrolment')).Enrolment }));
const SessionDialog = lazy(async () => ({ default: (await import('./session-dialog')).SessionDialog }));

/**
 * Renders nothing until the caller and its permissions are known. Shows the sign-in without a
 * session. Shows further requirements of a session (such as a second factor) in place of the page,
 * or over a page that is already open, so that its inputs stay.
 */
export function SessionGate(): ReactElement | null {
  const self = useRead('auth_self', {}, FACTS);
  const permissions = useRead('auth_permissions', {}, FACTS);
  const bootstrap = useRead('console_bootstrap', {}, FACTS);
  const { state, holder, setState } = useSessionState(self.data);
  const queries = useQueryClient();
  const router = useRouter();
  const facts = useMemo(
    () =>
      self.data && permissions.data && bootstrap.data
        ? { self: self.data, permissions: permissions.data, bootstrap: bootstrap.data }
        : null,
    [self.data, permissions.data, bootstrap.data],
  );
  const isHidden = state === 'left' || state === 'changed';
  useLayoutEffect(() => {
    hidePage(isHidden);
    return () => hidePage(false);
  }, [isHidden]);
  useKeptDialogs(state !== 'open' && state !== 'ending');
  const enrols = useEnrols(state === 'factor', facts !== null);
  const enrolment = {
    onAdded: () => {
      if (holder !== null) notifyTabs(holder);
    },
    onDone: () => {
      setState('open');
      void queries.invalidateQueries();
    },
  };
  if (enrols === 'alone')
    return (
      <main className="sign-in-page">
        <Suspense>
          <Enrolment isOver={false} {...enrolment} />
        </Suspense>
      </main>
    );
  if (facts === null) {
    const failed = [self, permissions, bootstrap].find(({ error }) => error !== null);
    if (failed === undefined) return null;
    // After a sign-out in another tab, this tab can still have the error that a second factor is
    // missing.
    const isSignedOut = failed.error?.status === 401 || state === 'left';
    return (
      <main className="sign-in-page">
        {isSignedOut || failed.error === null ? (
          <Suspense>
            <SignIn
              returnTo={router.state.location.href}
              onDone={(opened) => {
                setState('open');
                void adoptSession(queries, opened);
              }}
            />
          </Suspense>
        ) : (
          <Failed problem={failed.error} onRetry={() => void queries.invalidateQueries()} />
        )}
      </main>
    );
  }
  return (
    <SessionContext value={facts}>
      <Shell>
        <Outlet />
      </Shell>
      {state !== 'open' && holder !== null && (
        // When its code cannot be loaded, `NewerVersion` reports missing files, also over a hidden page.
        <ErrorBoundary fallback={null}>
          <Suspense>
            <SessionDialog
              state={state}
              holder={holder}
              endsAt={facts.self.expires_at}
              enrolment={enrolment}
              onOpen={() => setState('open')}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </SessionContext>
  );
}

/**
 * Whether the enrolment of a second factor is shown in place of the page or over it; null when none
 * is needed. The place does not change once enrolment has started, so that recovery codes do not
 * disappear when the page becomes available.
 */
function useEnrols(isNeeded: boolean, hasPage: boolean): 'alone' | 'over' | null {
  const [place, setPlace] = useState<'alone' | 'over' | null>(null);
  const now = isNeeded ? (place ?? (hasPage ? 'over' : 'alone')) : null;
  if (now !== place) setPlace(now);
  return now;
}
