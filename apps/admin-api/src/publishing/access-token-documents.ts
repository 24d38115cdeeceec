import { createHash } from 'node:crypto';
import { ceilingOf, DEFAULT_SECURITY } from '@gw/auth-scopes';
import type { AccessTokenDocument, DocumentKey, OauthGrantDocument, ReadModelDocument } from '@gw/contracts';
import { API_RESOURCE_PATH } from '@gw/oauth';
import type { EntityManager } from 'typeorm';
import {
  liveGrants,
  liveTokens,
  scopesOfToken,
  type LiveGrant,
  type LiveToken,
} from '../platform/auth/access-tokens';
import { livePlaygroundKeys, type LivePlaygroundKey } from '../platform/auth/playground-keys';
import { versioned } from './document-builders';
import type { WantedRow } from './document-keys';

type Wanted = Extract<WantedRow, { kind: 'access_token' }> & { readonly key: DocumentKey };

/** Adds the documents of the valid access tokens and playground keys. */
export async function addAccessTokens(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Map<DocumentKey, ReadModelDocument>,
): Promise<void> {
  const hashes = wanted.map(({ secretHash }) => secretHash);
  const byHash = new Map([
    ...(await liveTokens(manager, hashes)).map((row) => [row.idHash, accessTokenDocument(row)] as const),
    ...(await livePlaygroundKeys(manager, hashes)).map(
      (row) => [row.keyHash, playgroundDocument(row)] as const,
    ),
  ]);
  for (const { key, secretHash } of wanted) {
    const document = byHash.get(secretHash);
    if (document !== undefined) to.set(key, document);
  }
}

/**
 * Returns a UUID of version 8 (RFC 9562) that all keys of one user in one workspace share, so that
 * a new key gets no new counters.
 */
function playgroundIdOf({ userId, workspaceId }: LivePlaygroundKey): string {
  const hex = createHash('sha256').update(`playground\n${userId}\n${workspaceId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Returns the scopes that a user's roles allow. Security settings deny no data-plane scope, so the
 * documents do not depend on them.
 */
const dataPlaneCeiling = ({
  role,
  workspaceRole,
}: Pick<LiveToken, 'role' | 'workspaceRole'>): ReadonlySet<string> =>
  ceilingOf(role, workspaceRole, DEFAULT_SECURITY);

function playgroundDocument(key: LivePlaygroundKey): AccessTokenDocument {
  return versioned<AccessTokenDocument>({
    kind: 'access_token',
    grantId: playgroundIdOf(key),
    clientId: 'playground',
    clientName: 'Playground',
    userId: key.userId,
    organisationId: key.organisationId,
    workspaceId: key.workspaceId,
    resourcePath: API_RESOURCE_PATH,
    targetId: null,
    metadata: { source: 'playground' },
    scopes: [...dataPlaneCeiling(key)],
    expiresAt: key.expiresAt.toISOString(),
  });
}

/** Adds the documents of the grants that are in force. */
export async function addOauthGrants(
  manager: EntityManager,
  wanted: readonly (Extract<WantedRow, { kind: 'oauth_grant' }> & { readonly key: DocumentKey })[],
  to: Map<DocumentKey, ReadModelDocument>,
): Promise<void> {
  const rows = await liveGrants(
    manager,
    wanted.map(({ id }) => id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { key, id } of wanted) {
    const row = byId.get(id);
    if (row !== undefined) to.set(key, oauthGrantDocument(row));
  }
}

const oauthGrantDocument = (grant: LiveGrant): OauthGrantDocument => {
  const { id, organisationId, workspaceId, granted, expiresAt } = grant;
  const ceiling = dataPlaneCeiling(grant);
  return versioned<OauthGrantDocument>({
    ...{ kind: 'oauth_grant', id, organisationId, workspaceId },
    scopes: granted.filter((scope) => ceiling.has(scope)),
    expiresAt: expiresAt.toISOString(),
  });
};

function accessTokenDocument(token: LiveToken): AccessTokenDocument {
  const ceiling = dataPlaneCeiling(token);
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
