import { documentKey } from '@gw/contracts';
import { OauthArtifactEntity, OauthConsentEntity } from '@gw/entities';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { currentOauthCall, type OauthWork } from './oauth-call';

/**
 * Ends a grant with all its codes and tokens. Does nothing for one that has ended. A concurrent request that saves a token of the grant
 * either comes first, and its token ends too, or finds no grant.
 */
export async function endGrant(
  work: OauthWork,
  grantId: string,
  reason: string,
  by: AuditCaller | null = null,
): Promise<void> {
  const { manager } = work;
  const lock = { mode: 'pessimistic_write' } as const;
  const grant = await manager.findOne(OauthConsentEntity, { where: { id: grantId }, lock });
  if (grant === null) return;
  const tokens = await manager.find(OauthArtifactEntity, {
    where: { grantId, model: 'AccessToken' },
    select: { idHash: true },
  });
  work.removed.push(...tokens.map(({ idHash }) => documentKey.accessToken(idHash)));
  await manager.delete(OauthConsentEntity, { id: grantId });
  const request = currentOauthCall()?.request;
  const { organisationId, workspaceId, clientId, clientName, resource } = grant;
  const client = { kind: 'system', organisationId, workspaceId, userId: null, apiKeyId: null } as const;
  const caller = by ?? (request === undefined ? null : { ...client, request });
  if (caller === null) return;
  work.audits.push({
    caller,
    entry: {
      action: 'delete',
      resourceType: 'oauth_grants',
      resourceId: grantId,
      after: { client_id: clientId, client_name: clientName, resource, user_id: grant.userId, reason },
    },
  });
}
