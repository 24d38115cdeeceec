import { GatewayError } from '@gw/kernel';
import type { AuthenticatedSession } from '../auth/session.strategy';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { withinOauthCall, type OauthWork } from './oauth-call';
import type { OauthTransactions } from './oauth-transactions';
import { isPageSignature, pageSignature } from './page-signatures';

/** A logged-in user who reads or decides a request for consent. */
export interface ConsentCaller {
  readonly session: AuthenticatedSession;
  readonly request: RequestFacts;
}

export const callerOf = ({ session, request }: ConsentCaller): AuditCaller => ({
  kind: 'session',
  ...{ organisationId: session.organisationId, workspaceId: null, userId: session.userId, apiKeyId: null },
  request,
});

/** Request to which a user's form belongs; a token binds the form to it. */
export interface AnswerForm {
  readonly kind: 'consent' | 'device';
  /** The `resume_state` of a request for consent, or the code of a device. */
  readonly subject: string;
}

const textOf = ({ kind, subject }: AnswerForm, { id }: AuthenticatedSession): string =>
  `${kind}:${id}:${subject}`;

/** Returns the token that binds a form to the session for which the form was created. */
export const formToken = (key: Buffer, form: AnswerForm, session: AuthenticatedSession): string =>
  pageSignature(key, textOf(form, session));

/** Throws `forbidden` for a form that belongs to another session. */
export function assertFormToken(
  key: Buffer,
  form: AnswerForm,
  session: AuthenticatedSession,
  token: string,
): void {
  if (!isPageSignature(key, textOf(form, session), token))
    throw new GatewayError('forbidden', { message: 'The form is not of this session. Open it again.' });
}

/**
 * Applies a user's decision in one transaction, which starts after `prepare`. Records a refused
 * decision with its reason in the audit log.
 */
export async function applyDecision<T>(
  transactions: OauthTransactions,
  caller: ConsentCaller,
  take: (work: OauthWork) => Promise<T>,
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): Promise<T> {
  const call = { request: caller.request, registration: null, work: null };
  try {
    return await withinOauthCall(call, async () => {
      await prepare();
      return transactions.within(take);
    });
  } catch (error) {
    if (error instanceof GatewayError) {
      const entry = { action: 'approve', resourceType: 'oauth_grants', resourceId: null };
      const after = { reason: error.message };
      await transactions.recordRefusal(callerOf(caller), { ...entry, after }, error.status, error.type);
    }
    throw error;
  }
}
