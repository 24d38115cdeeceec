import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, type ReactElement } from 'react';
import { call, problemFrom, type Problem } from '../../api';
import { session } from '../../messages';
import type { Self } from '../state/session-context';
import { adoptSession, ONCE } from './adopt';
import { spendClaim } from './claim';
import { challengeOf, openedBy } from './opening';
import { SignIn } from './sign-in';
import { holderOf, notifyTabs } from './tabs';

/**
 * Signs in with the launcher's link. Shows the form for email and password when the link is
 * invalid.
 */
export function ClaimPage(): ReactElement {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const claim = useQuery({
    queryKey: ['claim_create'],
    queryFn: async () => {
      const token = spendClaim();
      if (token === null) throw new Error(session.claimFailed);
      return (await call('claim_create', {}, { body: { token } })).data;
    },
    ...ONCE,
  });
  const goOn = useCallback(
    async (self: Self) => {
      await adoptSession(queries, self);
      await navigate({ to: '/', replace: true });
    },
    [queries, navigate],
  );
  const self = claim.data === undefined ? null : openedBy(claim.data);
  useEffect(() => {
    if (self === null) return;
    notifyTabs(holderOf(self));
    void goOn(self);
  }, [self, goOn]);
  if (claim.isPending || self !== null)
    return (
      <div className="sign-in-page" role="status">
        {session.claiming}
      </div>
    );
  return (
    <main className="sign-in-page">
      <SignIn
        {...(claim.isError ? { note: noteOf(problemFrom(claim.error)) } : {})}
        challenge={claim.data === undefined ? null : challengeOf(claim.data)}
        onDone={(opened) => void goOn(opened)}
      />
    </main>
  );
}

/**
 * Explains why the link did not sign in: the server could not check it and the link still works, it
 * does not admit the owner this way, or the link has ended.
 */
function noteOf({ status, type, message }: Problem): string {
  if (type === 'network_failed' || status === 429 || status >= 500) return session.claimAgain(message);
  return status === 403 ? message : session.claimFailed;
}
