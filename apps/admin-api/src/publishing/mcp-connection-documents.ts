import {
  isExchanged,
  type DocumentKey,
  type McpConnectionContent,
  type McpConnectionDocument,
  type ReadModelDocument,
} from '@gw/contracts';
import { McpConnectionEntity } from '@gw/entities';
import { MINUTE_MS, seal, type Keyring } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import type { EntityManager } from 'typeorm';
import { connectionVersion, openTokens } from '../platform/mcp/connection-tokens';
import { mcpPlaces, type McpPlace } from '../platform/mcp/mcp-places.queries';
import type { WantedRow } from './document-keys';

type Wanted = Extract<WantedRow, { kind: 'mcp_connection' }> & { readonly key: DocumentKey };

/** Adds the documents of connections whose users may use their servers. */
export async function addMcpConnections(
  manager: EntityManager,
  wanted: readonly Wanted[],
  to: Map<DocumentKey, ReadModelDocument>,
  ring: Keyring,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await manager
    .createQueryBuilder(McpConnectionEntity, 'connection')
    .where(
      `(connection.serverId, connection.userId) IN (
         SELECT * FROM unnest(CAST(:serverIds AS uuid[]), CAST(:userIds AS uuid[])))`,
      { serverIds: wanted.map(({ serverId }) => serverId), userIds: wanted.map(({ userId }) => userId) },
    )
    .andWhere(`connection.status IN ('connected', 'needs_scope')`)
    .getMany();
  const places = new Map((await mcpPlaces(manager, rows)).map((place) => [pairOf(place), place]));
  const connections = new Map(rows.map((row) => [pairOf(row), row]));
  for (const { key, ...pair } of wanted) {
    const [row, place] = [connections.get(pairOf(pair)), places.get(pairOf(pair))];
    const document = row && place && connectionDocument(row, place, ring);
    if (document) to.set(key, document);
  }
}

const pairOf = ({ serverId, userId }: { readonly serverId: string; readonly userId: string }): string =>
  `${serverId}:${userId}`;

function connectionDocument(
  row: McpConnectionEntity,
  { workspaceId, authType }: McpPlace,
  ring: Keyring,
): McpConnectionDocument | null {
  if (row.sealedTokens === null) return null;
  const { accessToken, refreshToken, proofKey } = openTokens(ring, row, row.sealedTokens);
  const { organisationId, serverId, userId, expiresAt, scopes } = row;
  const content: McpConnectionContent = { accessToken, ...(proofKey !== undefined && { proofKey }) };
  return {
    kind: 'mcp_connection',
    version: connectionVersion(row),
    ...{ serverId, userId, organisationId, workspaceId },
    sealedTokens: seal(
      ring,
      JSON.stringify(content),
      connectionBinding({ organisationId, serverId, userId }),
    ),
    expiresAt: expiresAt?.toISOString() ?? null,
    // The last update can be later than the issue of the token only after a step-up, which moves
    // the renewal closer to the expiry.
    ...(expiresAt !== null && { renewFrom: renewFrom(expiresAt, row.lastUpdatedAt).toISOString() }),
    isRefreshable: refreshToken !== null || isExchanged(authType),
    // Also for `needs_scope`: gateways use both states in the same way.
    status: 'connected',
    scopes,
  };
}

const AHEAD_MAX_MS = 5 * MINUTE_MS;

/**
 * Returns when gateways renew a token: a fifth of its lifetime before the expiry, at most five
 * minutes before.
 */
const renewFrom = (expiresAt: Date, issuedAt: Date): Date =>
  new Date(
    expiresAt.getTime() - Math.min(AHEAD_MAX_MS, Math.max(0, (expiresAt.getTime() - issuedAt.getTime()) / 5)),
  );
