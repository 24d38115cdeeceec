import { McpServerEntity } from '@gw/entities';
import type { FindOptionsWhere } from 'typeorm';
import { byReference, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { Resource } from '../../platform/resource/rows';
import { mcpServerKeys } from '../../platform/rows/mcp-rows';
import { toAuditedMcpServer } from './mcp-servers.view';

/**
 * Returns the condition for a server that a path names. Slugs are unique only within a workspace,
 * so a slug requires the workspace. An id is enough for a credential of the whole organisation.
 */
const whereOf = (caller: Principal, reference: string): FindOptionsWhere<McpServerEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  status: 'active',
});

export const MCP_SERVER: Resource<McpServerEntity> = {
  entity: McpServerEntity,
  type: 'mcp_servers',
  view: toAuditedMcpServer,
  where: whereOf,
  documents: mcpServerKeys,
};
