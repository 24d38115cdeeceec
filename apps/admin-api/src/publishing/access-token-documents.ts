import { ceilingOf, DEFAULT_SECURITY } from '@gw/auth-scopes';
import type { AccessTokenDocument, DocumentKey, ReadModelDocument } from '@gw/contracts';
import type { EntityManager } from 'typeorm';
import { liveTokens, scopesOfToken, type LiveToken } from '../platform/auth/access-tokens';
import { versioned } from './document-builders';
import type { WantedRow } from './document-keys';

type Wanted = Extract<WantedRow, { kind: 'access_token' }> & { readonly key: DocumentKey };

/** Adds the access tokens that are valid. */
export async function addAccessTokens(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Map<DocumentKey, ReadModelDocument>,
): Promise<void> {
  const rows = await liveTokens(
    manager,
    wanted.map(({ secretHash }) => secretHash),
  );
  const byHash = new Map(rows.map((row) => [row.idHash, row]));
  for (const { key, secretHash } of wanted) {
    const row = byHash.get(secretHash);
    if (row !== undefined) to.set(key, accessTokenDocument(row));
  }
}

function accessTokenDocument(token: LiveToken): AccessTokenDocument {
  // No security setting denies a data-plane scope, so the documents do not depend on these settings.
  const ceiling = ceilingOf(token.role, token.workspaceRole, DEFAULT_SECURITY);
  return versioned<AccessTokenDocument>({
    kind: 'access_token',
    grantId: token.id,
    clientId: token.clientId,
    clientName: token.clientName,
    userId: token.userId,
    organisationId: token.organisationId,
    workspaceId: token.workspaceId,
    resourcePath: new URL(token.resource).pathname,
    targetId: token.targetId,
    ...(token.boundTo !== null && {
      boundTo: { thumbprint: token.boundTo, origin: new URL(token.resource).origin },
    }),
    scopes: scopesOfToken(token).filter((scope) => ceiling.has(scope)),
    expiresAt: token.expiresAt.toISOString(),
  });
}
