import type { McpCapabilityEntity, McpIntegrationEntity } from '@gw/entities';
import { LISTED_TYPES, operationKey, splitOperation } from '@gw/mcp';
import { ResponseField } from '@gw/web';
import {
  McpCountsResponse,
  McpDefinitionResponse,
  textOf,
  toMcpDefinition,
} from '../../platform/mcp/mcp-capability-lists';
import { FindingResponse, STATES } from '../../platform/upstreams/approval-choices';
import { ALL_TYPES } from './mcp-capabilities.dto';

export class McpCapabilitySuccessResponse {
  @ResponseField.boolean() readonly success!: boolean;
}

export class McpCapabilityResponse extends McpDefinitionResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.oneOf(LISTED_TYPES) readonly type!: string;
  @ResponseField.boolean() readonly enabled!: boolean;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time() readonly last_updated_at!: string;
  @ResponseField.oneOf(STATES) readonly state!: string;
  @ResponseField.text({ description: 'Digest of the newest definition.', example: 'a'.repeat(64) })
  readonly digest!: string;
  @ResponseField.list(() => FindingResponse) readonly findings!: readonly FindingResponse[];
  @ResponseField.text({
    nullable: true,
    description: 'HTTP request that a call makes, for tools of an OpenAPI document.',
    example: 'get /pets/{id}',
  })
  readonly operation!: string | null;
}

export class McpCapabilitiesResponse {
  @ResponseField.list(() => McpCapabilityResponse) readonly data!: McpCapabilityResponse[];
  @ResponseField.one(() => McpCountsResponse) readonly counts!: McpCountsResponse;
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

export class McpMetadataResponse {
  @ResponseField.text({ nullable: true, example: 'github' }) readonly server_name!: string | null;
  @ResponseField.text({ nullable: true, example: '1.0.0' }) readonly server_version!: string | null;
  @ResponseField.text({ nullable: true, example: 'GitHub' }) readonly title!: string | null;
  @ResponseField.text({ nullable: true, example: 'Code' }) readonly description!: string | null;
  @ResponseField.any() readonly icons!: unknown;
  @ResponseField.text({ nullable: true, example: '2025-11-25' }) readonly protocol_version!: string | null;
  @ResponseField.json({ nullable: true }) readonly capability_flags!: Readonly<
    Record<string, unknown>
  > | null;
  @ResponseField.oneOf(['pending', 'synced', 'failed']) readonly sync_status!: string;
  @ResponseField.time({ nullable: true }) readonly last_synced_at!: string | null;
  @ResponseField.text({ nullable: true, example: 'The server was not reached.' })
  readonly sync_error!: string | null;
}

class McpChangeResponse {
  @ResponseField.oneOf(ALL_TYPES) readonly type!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.oneOf(STATES) readonly state!: string;
  @ResponseField.text({ example: 'a'.repeat(64) }) readonly digest!: string;
  @ResponseField.json({
    nullable: true,
    description: 'The approved definition; null when none was approved.',
  })
  readonly old!: Readonly<Record<string, unknown>> | null;
  @ResponseField.json() readonly new!: Readonly<Record<string, unknown>>;
  @ResponseField.list(() => FindingResponse) readonly findings!: readonly FindingResponse[];
}

export class McpChangesResponse {
  @ResponseField.list(() => McpChangeResponse) readonly data!: McpChangeResponse[];
  @ResponseField.integer({ example: 1 }) readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class McpStaleResponse {
  @ResponseField.oneOf(ALL_TYPES) readonly type!: string;
  @ResponseField.text({ example: 'search' }) readonly name!: string;
  @ResponseField.text({ example: 'a'.repeat(64) }) readonly digest!: string;
}

export class McpDecisionResponse {
  @ResponseField.integer({ example: 1 }) readonly approved!: number;
  @ResponseField.integer({ example: 0 }) readonly rejected!: number;
  @ResponseField.list(() => McpStaleResponse, {
    description: 'Items whose definition has changed in the meantime, or that the server no longer lists.',
  })
  readonly stale!: readonly McpStaleResponse[];
}

export function toMcpCapability(
  row: McpCapabilityEntity,
  { kind }: Pick<McpIntegrationEntity, 'kind'>,
): McpCapabilityResponse {
  const { id, name, type, enabled, state, digest, findings, definition } = row;
  const shown = toMcpDefinition(definition);
  // In the definition of an MCP server, a member of this name would come from the server.
  const operation = kind === 'openapi' ? splitOperation(definition).operation : null;
  return {
    ...shown,
    ...{ id, name, type, enabled, state, digest, findings },
    operation: operation && operationKey(operation),
    title: shown.title ?? (type === 'resource' ? textOf(definition, 'name') : null),
    created_at: row.createdAt.toISOString(),
    last_updated_at: row.lastUpdatedAt.toISOString(),
  };
}

export const toMcpChange = ({
  type,
  name,
  state,
  digest,
  approved,
  definition,
  findings,
}: McpCapabilityEntity): McpChangeResponse => ({
  ...{ type, name, state, digest, findings },
  ...{ old: approved, new: definition },
});

const UNREAD = {
  ...{ name: null, version: null, title: null, description: null },
  ...{ icons: null, protocolVersion: null, capabilities: null },
};

export function toMcpMetadata({
  serverInfo,
  syncStatus,
  lastSyncedAt,
  syncError,
}: McpIntegrationEntity): McpMetadataResponse {
  const info = serverInfo ?? UNREAD;
  const { name, version, title, description, icons, protocolVersion, capabilities } = info;
  return {
    ...{ server_name: name, server_version: version, title, description, icons },
    ...{ protocol_version: protocolVersion, capability_flags: capabilities },
    sync_status: syncStatus,
    last_synced_at: lastSyncedAt?.toISOString() ?? null,
    sync_error: syncError,
  };
}
