import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState, type ReactElement } from 'react';
import { call } from '../../api';
import { session } from '../../messages';
import { withoutSlash } from '../shell/addresses';
import type { Self } from '../state/session-context';
import { adoptSession, ONCE } from './adopt';
import { openedBy } from './opening';
import { SignIn } from './sign-in';
import { useBegin } from './sso-form';
import { ownPath, spendBegin, spendReturn } from './sso-return';
import { holderOf, notifyTabs } from './tabs';

/**
 * `/login/sso` shows the form for single sign-on, and signs in with the code that the identity
 * provider's redirect carries. With a `connection`, it starts a login there. The user must confirm a
 * login that neither the user nor a page of the console started: an attacker's link could sign the
 * browser in as the attacker.
 */
export function SsoPage(): ReactElement {
  const router = useRouter();
  const queries = useQueryClient();
  const [back] = useState(spendReturn);
  const { connection, return_path: path } = router.state.location.search as Record<string, unknown>;
  const named = typeof connection === 'string' && back === null ? connection : null;
  const [isWanted, setWanted] = useState(() =>
    named === null ? back?.isUnsolicited !== true : spendBegin(named),
  );
  const returnTo = useMemo(
    () => back?.returnTo ?? ownPath(typeof path === 'string' ? path : null),
    [back, path],
  );
  const toPage = useCallback(
    () => router.history.replace(withoutSlash(router.basepath) + returnTo),
    [router, returnTo],
  );
  const begin = useBegin({ organisation: null, returnTo, isOver: false });
  const { mutate } = begin;
  useEffect(() => {
    if (named !== null && isWanted) mutate({ connection: named, email: '' });
  }, [named, isWanted, mutate]);
  const exchange = useQuery({
    queryKey: ['ssoLogin_exchange', back?.code],
    queryFn: async (): Promise<Self> => {
      if (back?.binding == null) throw new Error(session.ssoOtherTab);
      const body = { code: back.code, login_binding: back.binding };
      const self = openedBy((await call('ssoLogin_exchange', {}, { body })).data);
      if (self === null) throw new Error(session.ssoFailed);
      return self;
    },
    enabled: back !== null && isWanted,
    ...ONCE,
  });
  const self = exchange.data;
  useEffect(() => {
    if (self === undefined) return;
    notifyTabs(holderOf(self));
    void adoptSession(queries, self).then(toPage);
  }, [self, queries, toPage]);
  if (!isWanted)
    return (
      <main className="sign-in-page">
        <div className="sign-in">
          <h1>{session.title}</h1>
          <p>{named === null ? session.ssoUnsolicited : session.ssoByLink}</p>
          <Button variant="filled" onClick={() => setWanted(true)}>
            {session.goOn}
          </Button>
        </div>
      </main>
    );
  const isPending = (back !== null && !exchange.isError) || (named !== null && !begin.isError);
  if (isPending)
    return (
      <main className="sign-in-page">
        <p role="status">{session.ssoGoes}</p>
      </main>
    );
  const failed = exchange.error ?? begin.error;
  return (
    <main className="sign-in-page">
      <SignIn
        isSso
        returnTo={returnTo}
        {...(failed === null ? {} : { note: failed.message })}
        onDone={(opened) => void adoptSession(queries, opened).then(toPage)}
      />
    </main>
  );
}

/** `/login/done` closes the window of a login that another window of the console opened. */
export function SsoDonePage(): ReactElement {
  useEffect(() => window.close(), []);
  return (
    <main className="sign-in-page">
      <p role="status">{session.ssoDone}</p>
    </main>
  );
}
