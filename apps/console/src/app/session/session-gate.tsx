import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { onSessionEnd, useRead } from '../../api';
import { session } from '../../messages';
import { Failed } from '../../ui/states';
import { Shell } from '../shell/shell';
import { SessionContext } from '../state/session-context';
import { SignIn } from './sign-in';

const FACTS = { staleTime: 60_000 };

/**
 * Draws nothing before it is known who the caller is and what they may do. Shows the sign-in where there is no session, and over the page when
 * a session ends, so that what was entered stays.
 */
export function SessionGate(): ReactElement | null {
  const self = useRead('auth_self', {}, FACTS);
  const permissions = useRead('auth_permissions', {}, FACTS);
  const bootstrap = useRead('console_bootstrap', {}, FACTS);
  const [isOver, setOver] = useState(false);
  const queries = useQueryClient();
  useEffect(() => onSessionEnd(() => setOver(true)), []);
  const facts = useMemo(
    () =>
      self.data && permissions.data && bootstrap.data
        ? { self: self.data, permissions: permissions.data, bootstrap: bootstrap.data }
        : null,
    [self.data, permissions.data, bootstrap.data],
  );
  if (facts === null) {
    const failed = [self, permissions, bootstrap].find(({ error }) => error !== null);
    if (failed === undefined) return null;
    const isSignedOut = failed.error?.status === 401;
    return (
      <main className="sign-in-page">
        {isSignedOut || failed.error === null ? (
          <SignIn onDone={() => setOver(false)} />
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
      <Modal
        opened={isOver}
        onClose={() => undefined}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
      >
        <SignIn note={session.ended} onDone={() => setOver(false)} />
      </Modal>
    </SessionContext>
  );
}
