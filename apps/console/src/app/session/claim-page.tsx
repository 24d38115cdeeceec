import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { call } from '../../api';
import { session } from '../../messages';
import { spendClaim } from './claim';
import { challengeOf, SignIn } from './sign-in';

/** Signs in by the link of the launcher. Asks for email and password where it does not work. */
export function ClaimPage(): ReactElement {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const claim = useQuery({
    queryKey: ['claim_create'],
    queryFn: async () => {
      const token = spendClaim();
      if (token === null) throw new Error(session.claimFailed);
      return challengeOf((await call('claim_create', {}, { body: { token } })).data);
    },
    staleTime: Infinity,
    retry: false,
  });
  const isOpen = claim.data === null;
  useEffect(() => {
    if (!isOpen) return;
    queries.removeQueries({ queryKey: ['auth_self'] });
    void navigate({ to: '/', replace: true });
  }, [isOpen, navigate, queries]);
  if (claim.isPending || isOpen)
    return (
      <div className="sign-in-page" role="status">
        {session.claiming}
      </div>
    );
  const toHome = () => void navigate({ to: '/', replace: true });
  return (
    <div className="sign-in-page">
      <SignIn
        {...(claim.isError ? { note: session.claimFailed } : {})}
        challenge={claim.data ?? null}
        onDone={toHome}
      />
    </div>
  );
}
