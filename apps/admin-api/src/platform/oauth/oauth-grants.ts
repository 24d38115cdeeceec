import { documentKey } from '@gw/contracts';
import { OauthArtifactEntity, OauthConsentEntity } from '@gw/entities';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
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

/** Ends all grants of a client with their tokens, in a few statements. The audit log has the change of the client, not each grant. */
export async function endGrantsOfClient(write: Write, clientId: string): Promise<void> {
  const { manager } = write;
  const grants = await manager.query<{ readonly id: string }[]>(
    `SELECT id FROM oauth_consents WHERE client_id = $1 ORDER BY id FOR UPDATE`,
    [clientId],
  );
  const ids = grants.map(({ id }) => id);
  if (ids.length === 0) return;
  const tokens = await manager.query<{ readonly id_hash: string }[]>(
    `SELECT id_hash FROM oauth_artifacts WHERE grant_id = ANY($1) AND model = 'AccessToken'`,
    [ids],
  );
  write.removed(...tokens.map(({ id_hash: hash }) => documentKey.accessToken(hash)));
  await manager.query(`DELETE FROM oauth_consents WHERE id = ANY($1)`, [ids]);
}
