import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement } from 'react';
import { keyOf, onSessionEnd, useRead } from '../../api';
import { session } from '../../messages';
import { Shell } from '../shell/shell';
import { SelfContext } from '../state/session-context';
import { FailedPage } from '../shell/failed-page';
import { SignIn } from './sign-in';

/** Draws nothing before it is known who the caller is; signs in where nobody is signed in, over the page when a session ends. */
export function SessionGate(): ReactElement | null {
  const self = useRead('auth_self', {}, { staleTime: 60_000 });
  const [isOver, setOver] = useState(false);
  const queries = useQueryClient();
  useEffect(() => onSessionEnd(() => setOver(true)), []);
  if (self.data === undefined) {
    if (self.error?.status === 401) return <SignIn onDone={() => setOver(false)} />;
    if (self.error) return <FailedPage problem={self.error} onRetry={() => void self.refetch()} />;
    return null;
  }
  const goOn = () => {
    setOver(false);
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== keyOf('auth_self', {})[0],
    });
  };
  return (
    <SelfContext value={self.data}>
      <Shell>
        <Outlet />
      </Shell>
      <Modal opened={isOver} onClose={() => undefined} withCloseButton={false} closeOnEscape={false}>
        <SignIn note={session.ended} onDone={goOn} />
      </Modal>
    </SelfContext>
  );
}
