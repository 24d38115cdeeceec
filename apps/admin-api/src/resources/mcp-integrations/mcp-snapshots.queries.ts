import { McpCapabilityEntity, McpIntegrationEntity } from '@gw/entities';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';

import { nameDigestOf, type ServerSnapshot } from './mcp-snapshot';

/** Names of tools that a snapshot is compared with. */
const OTHER_NAMES_MAX = 10_000;
/** Capabilities that an integration keeps after its server has stopped listing them. */
const GONE_MAX = 1_000;
/** The time that one call of the job may take, after which another one takes the integrations over. */
const LEASE = '10 minutes';

type SyncColumns = Partial<
  Pick<
    McpIntegrationEntity,
    'syncStatus' | 'syncError' | 'nextSyncAt' | 'lastSyncedAt' | 'serverInfo' | 'approvedServer'
  >
>;

/** Saves the result of a reading. The version stays, since users do not edit these columns. */
export async function saveSync(
  manager: EntityManager,
  { id, url }: Pick<McpIntegrationEntity, 'id' | 'url'>,
  columns: SyncColumns,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .update(McpIntegrationEntity)
    .set({
      ...(columns as QueryDeepPartialEntity<McpIntegrationEntity>),
      version: () => 'version',
      lastUpdatedAt: () => 'last_updated_at',
    })
    .where({ id, url })
    .execute();
}

/** A document without a URL changes only when an administrator sends another one. */
const CAN_CHANGE = `(kind <> 'openapi' OR sync_status <> 'synced' OR EXISTS (
  SELECT 1 FROM mcp_openapi_documents d WHERE d.integration_id = mcp_integrations.id AND d.url IS NOT NULL))`;

/** Leases integrations whose turn it is, longest overdue first, and returns their ids. */
export async function dueIntegrations(manager: EntityManager, max: number): Promise<string[]> {
  const [rows] = await manager.query<[{ id: string }[], number]>(
    `UPDATE mcp_integrations SET next_sync_at = now() + $2::interval
      WHERE id IN (SELECT id FROM mcp_integrations
                    WHERE status = 'active' AND next_sync_at <= now() AND ${CAN_CHANGE}
                    ORDER BY next_sync_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING id`,
    [max, LEASE],
  );
  return rows.map(({ id }) => id);
}

/** Returns names of tools of other integrations that callers may see together with this one. */
export async function otherToolNames(
  manager: EntityManager,
  { id, organisationId, workspaceId }: Pick<McpIntegrationEntity, 'id' | 'organisationId' | 'workspaceId'>,
): Promise<string[]> {
  const rows = await manager.query<{ name: string }[]>(
    `SELECT DISTINCT c.name FROM mcp_capabilities c JOIN mcp_integrations i ON i.id = c.integration_id
      WHERE i.organisation_id = $1 AND i.id <> $2 AND i.status = 'active'
        AND (i.workspace_id IS NULL OR i.workspace_id = $3)
        AND c.type = 'tool' AND c.gone_at IS NULL
      LIMIT ${String(OTHER_NAMES_MAX)}`,
    [organisationId, id, workspaceId],
  );
  return rows.map(({ name }) => name);
}

/** Returns the saved rows that a snapshot is compared with: what was listed last, and what comes back. */
export async function savedCapabilities(
  manager: EntityManager,
  integrationId: string,
  { capabilities }: ServerSnapshot,
): Promise<McpCapabilityEntity[]> {
  const nameDigest = In(capabilities.map(({ name }) => nameDigestOf(name)));
  return manager.findBy(McpCapabilityEntity, [
    { integrationId, goneAt: IsNull() },
    { integrationId, goneAt: Not(IsNull()), nameDigest },
  ]);
}

/** Deletes the capabilities that have been gone for longest, beyond 1,000. */
export async function removeOldCapabilities(manager: EntityManager, integrationId: string): Promise<void> {
  const rows = await manager.query<{ id: string }[]>(
    `SELECT id FROM mcp_capabilities WHERE integration_id = $1 AND gone_at IS NOT NULL
      ORDER BY gone_at DESC, id DESC OFFSET $2`,
    [integrationId, GONE_MAX],
  );
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await manager.query('DELETE FROM mcp_server_capabilities WHERE capability_id = ANY($1)', [ids]);
  await manager.query('DELETE FROM mcp_capabilities WHERE id = ANY($1)', [ids]);
}
