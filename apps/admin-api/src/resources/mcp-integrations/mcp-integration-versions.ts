import { McpIntegrationVersionEntity, type McpIntegrationEntity } from '@gw/entities';
import { isObject } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { found } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { shownMappings } from '../../platform/credentials/secret-mappings';
import { addVersion, type Versions } from '../../platform/resource/versioned';
import { MCP_CLIENTS, shownConfigurations } from '../../platform/upstreams/client-secrets';
import { McpPlainFields, type UpdateMcpIntegrationDto } from './mcp-integrations.dto';
import { shownPrices } from './mcp-prices';
import { viewOf } from '@gw/web';

export const VERSIONS: Versions<McpIntegrationVersionEntity> = {
  entity: McpIntegrationVersionEntity,
  owner: 'integrationId',
};

/** Returns the saved state of an integration: the members of a PUT, with masked secrets. */
export const contentOf = (row: McpIntegrationEntity): Record<string, unknown> => ({
  ...viewOf(McpPlainFields, row),
  configurations: shownConfigurations(MCP_CLIENTS, row),
  secret_mappings: shownMappings(row),
  approval_mode: row.approvalMode,
  on_change: row.onChange,
  pricing: shownPrices(row.prices),
});

/** Stores the state as a version. The row must be locked or new. */
export const keepVersion = async (
  manager: EntityManager,
  caller: Principal,
  row: McpIntegrationEntity,
  content = contentOf(row),
): Promise<void> => {
  await addVersion(manager, caller, VERSIONS, row.id, { content });
};

/** Stores the state before the first change of an integration without versions. */
export async function saveFirstVersion(
  manager: EntityManager,
  caller: Principal,
  row: McpIntegrationEntity,
): Promise<void> {
  const hasVersions = await manager.existsBy(McpIntegrationVersionEntity, { integrationId: row.id });
  if (!hasVersions) await keepVersion(manager, caller, row);
}

/** Returns the version that a path names by its number. Throws `not_found`. */
export async function versionAt(
  manager: EntityManager,
  integrationId: string,
  version: string,
): Promise<McpIntegrationVersionEntity> {
  const number = /^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0;
  return found(await manager.findOneBy(McpIntegrationVersionEntity, { integrationId, number }));
}

/**
 * Returns the update that restores a version. Versions contain no secrets: the integration keeps
 * its current ones, and the caller sends any others that the version needs.
 */
export function restored(
  { content }: McpIntegrationVersionEntity,
  now: McpIntegrationEntity,
  secrets: Readonly<Record<string, unknown>>,
): UpdateMcpIntegrationDto {
  const { configurations: saved, ...rest } = content;
  const before = isObject(saved) ? saved : {};
  const cleared = Object.keys(shownConfigurations(MCP_CLIENTS, now)).map((name) => [name, null] as const);
  const requested = Object.entries(secrets).map(
    ([name, value]) => [name, merged(before[name], value)] as const,
  );
  const configurations = { ...Object.fromEntries(cleared), ...before, ...Object.fromEntries(requested) };
  return { ...rest, configurations };
}

/** Merges members of the request, such as a masked secret, over those of the version. */
const merged = (saved: unknown, requested: unknown): unknown =>
  isObject(saved) && isObject(requested) ? { ...saved, ...requested } : requested;
