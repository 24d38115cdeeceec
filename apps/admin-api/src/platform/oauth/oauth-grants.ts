import { documentKey } from '@gw/contracts';
import { OauthArtifactEntity, OauthConsentEntity, type OauthSettings } from '@gw/entities';
import { CLI_CLIENT } from '@gw/oauth';
import { endGrantsWhere } from '../rows/grant-ends';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { currentOauthCall, type OauthWork } from './oauth-call';
import { kindsAllowed } from './oauth-policy';

/**
 * Ends a grant with all its codes and tokens. Does nothing for a grant that has ended. A concurrent
 * request that saves a token of the grant either commits first, and its token ends too, or finds no
 * grant.
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
  const ended = tokens.map(({ idHash }) => documentKey.accessToken(idHash));
  work.removed.push(...ended, documentKey.oauthGrant(grantId));
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

/**
 * SQL for the kind of a grant's client. A client id without a row is the URL of a document, except
 * for the built-in client.
 */
const KIND_OF_CLIENT = `coalesce(
      (SELECT kind FROM oauth_clients WHERE oauth_clients.client_id = oauth_consents.client_id),
      CASE WHEN client_id = '${CLI_CLIENT.id}' THEN 'registered' ELSE 'document' END)`;

/** Ends all grants of a client, with their tokens. */
export const endGrantsOfClient = (write: Write, clientId: string): Promise<void> =>
  endGrantsWhere(write, 'client_id = $1', [clientId]);

/** Ends the grants of an organisation that its settings no longer allow. */
export async function endGrantsNotAllowed(
  write: Write,
  organisationId: string,
  { clients, require_dpop: requireDpop }: Required<OauthSettings>,
): Promise<void> {
  const kinds = kindsAllowed(clients);
  // Refreshing a bound grant requires a proof anyway, so refresh tokens need no check.
  const isUnbound = `EXISTS (SELECT 1 FROM oauth_artifacts AS token WHERE token.grant_id = oauth_consents.id
      AND token.model = 'AccessToken' AND token.expires_at > now() AND token.payload->>'jkt' IS NULL)`;
  // Token requests lock their grant. After this lock, the next statement sees the tokens of all
  // requests that were in progress.
  await write.manager.query(
    `SELECT 1 FROM oauth_consents WHERE organisation_id = $1 ORDER BY id FOR UPDATE`,
    [organisationId],
  );
  await endGrantsWhere(
    write,
    `organisation_id = $1 AND (NOT (${KIND_OF_CLIENT} = ANY($2::text[])) ${requireDpop ? `OR ${isUnbound}` : ''})`,
    [organisationId, kinds],
  );
}
