import { OauthConsentEntity } from '@gw/entities';
import { isLoopbackRedirect } from '@gw/oauth';
import { IsNull, MoreThan, type EntityManager } from 'typeorm';
import type { AuthenticatedSession } from '../auth/session.strategy';
import type { Requested } from './grant-writer';
import type { KnownClient } from './oauth-clients';
import { scopesHeld, seatOf } from './oauth-seats';
import { findTarget } from './oauth-targets';

/**
 * A request for consent, with the members that decide whether an earlier decision can be reused.
 */
export interface RepeatedRequest extends Requested {
  readonly client: KnownClient;
  readonly redirectUri: string;
  /** `prompt` of the request. */
  readonly prompt: string;
}

/**
 * Returns the grant with which the user agreed before to all scopes of the request, in exactly one
 * workspace or organisation; null when the user must decide. A decision can be reused as long as
 * its grant lasts; grants that were written from a remembered decision do not count. It is reused
 * only for a client that no other program can impersonate: one that is not dynamic, and that
 * authenticates itself or does not listen on the user's own computer.
 */
export async function grantedBefore(
  manager: EntityManager,
  request: RepeatedRequest,
  session: Pick<AuthenticatedSession, 'userId' | 'organisationId'>,
): Promise<OauthConsentEntity | null> {
  const { client, resource, scopes, prompt } = request;
  if (prompt.split(' ').includes('consent') || !identifiesOneProgram(request)) return null;
  const { userId, organisationId } = session;
  const grants = await manager.findBy(OauthConsentEntity, {
    ...{ userId, organisationId, clientId: client.clientId, resource: resource.url },
    expiresAt: MoreThan(new Date()),
    rememberedFrom: IsNull(),
  });
  const enough = grants.filter((grant) => scopes.every((scope) => grant.scopes.includes(scope)));
  const [grant] = enough;
  if (grant === undefined || enough.some(({ workspaceId }) => workspaceId !== grant.workspaceId)) return null;
  const { workspaceId } = grant;
  const place = { userId, organisationId, workspaceId };
  const seat = await seatOf(manager, place);
  if (seat === null || (workspaceId === null && seat.organisationRole === 'member')) return null;
  if ((await findTarget(manager, resource, workspaceId)) !== grant.targetId) return null;
  const held = await scopesHeld(manager, place, seat);
  return scopes.every((scope) => held.has(scope)) ? grant : null;
}

function identifiesOneProgram({ client: { kind, metadata }, redirectUri }: RepeatedRequest): boolean {
  if (kind === 'dynamic') return false;
  const { token_endpoint_auth_method: method = 'none' } = metadata as { token_endpoint_auth_method?: string };
  return method !== 'none' || !isLoopbackRedirect(redirectUri);
}
