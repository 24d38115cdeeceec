import { GatewayError } from '@gw/kernel';
import type { AuthenticatedSession } from '../auth/session.strategy';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { withinOauthCall, type OauthWork } from './oauth-call';
import type { OauthTransactions } from './oauth-transactions';

/** A logged-in user who reads or answers a request for consent. */
export interface ConsentCaller {
  readonly session: AuthenticatedSession;
  readonly request: RequestFacts;
}

export const callerOf = ({ session, request }: ConsentCaller): AuditCaller => ({
  kind: 'session',
  ...{ organisationId: session.organisationId, workspaceId: null, userId: session.userId, apiKeyId: null },
  request,
});

/** Takes a user's answer in one transaction. A refused answer is in the audit log with its reason. */
export async function takeAnswer<T>(
  transactions: OauthTransactions,
  caller: ConsentCaller,
  take: (work: OauthWork) => Promise<T>,
): Promise<T> {
  const call = { request: caller.request, registration: null, work: null };
  try {
    return await withinOauthCall(call, () => transactions.within(take));
  } catch (error) {
    if (error instanceof GatewayError) {
      const entry = { action: 'approve', resourceType: 'oauth_grants', resourceId: null };
      const after = { reason: error.message };
      await transactions.recordRefusal(callerOf(caller), { ...entry, after }, error.status, error.type);
    }
    throw error;
  }
}
