import { createHash } from 'node:crypto';
import {
  McpApprovalEntity,
  McpCapabilityEntity,
  McpIntegrationEntity,
  McpServerEntity,
  type StoredMcpServerInfo,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

export interface McpOwner {
  readonly organisationId: string;
  readonly workspaceId: string;
}

let count = 0;

/** Returns facts of an upstream server. */
export const serverInfo = (more: Partial<StoredMcpServerInfo> = {}): StoredMcpServerInfo => ({
  name: 'files',
  version: '1.2.3',
  title: 'Files',
  description: 'Reads files.',
  websiteUrl: 'https://files.example.com',
  icons: [],
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  instructions: 'Read before you write.',
  ...more,
});

/** Inserts an MCP integration of the organisation that all of its workspaces may use. */
export async function insertMcpIntegration(
  manager: EntityManager,
  { organisationId }: Pick<McpOwner, 'organisationId'>,
  more: Partial<McpIntegrationEntity> = {},
): Promise<McpIntegrationEntity> {
  count += 1;
  return manager.save(
    manager.create(McpIntegrationEntity, {
      id: uuidv7(),
      organisationId,
      workspaceId: null,
      slug: `upstream-${String(count)}`,
      name: 'Upstream',
      url: 'https://mcp.example.com/mcp',
      transport: 'http',
      authType: 'none',
      approvalMode: 'auto',
      globalWorkspaceAccess: { enabled: true },
      ...more,
    }),
  );
}

/** Inserts an approved capability that is listed and enabled. */
export async function insertCapability(
  manager: EntityManager,
  integrationId: string,
  name: string,
  more: Partial<McpCapabilityEntity> = {},
): Promise<McpCapabilityEntity> {
  const definition = more.definition ?? { name, inputSchema: { type: 'object' } };
  return manager.save(
    manager.create(McpCapabilityEntity, {
      id: uuidv7(),
      integrationId,
      type: 'tool',
      name,
      nameDigest: createHash('sha256').update(name).digest('hex'),
      position: 0,
      definition,
      digest: 'a'.repeat(64),
      approved: definition,
      state: 'approved',
      ...more,
    }),
  );
}

/** Inserts an MCP server of the workspace. */
export async function insertMcpServer(
  manager: EntityManager,
  { organisationId, workspaceId }: McpOwner,
  integrationId: string,
  more: Partial<McpServerEntity> = {},
): Promise<McpServerEntity> {
  count += 1;
  const slug = `files-${String(count)}`;
  return manager.save(
    manager.create(McpServerEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, integrationId },
      ...{ slug, name: 'Files', ...more },
    }),
  );
}

/** Inserts a tool call that waits for the approval of a person. */
export async function insertMcpApproval(
  manager: EntityManager,
  { organisationId, workspaceId }: McpOwner,
  serverId: string,
  more: Partial<McpApprovalEntity> = {},
): Promise<McpApprovalEntity> {
  return manager.save(
    manager.create(McpApprovalEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, serverId, tool: 'delete' },
      ...{ principal: 'p'.repeat(43), argumentsDigest: 'd'.repeat(43), argumentsJson: '{"a":1}' },
      ...{ status: 'pending', expiresAt: new Date(Date.now() + 3_600_000), ...more },
    }),
  );
}
