import { McpCapabilityEntity, McpIntegrationEntity, McpServerEntity, WorkspaceEntity } from '@gw/entities';
import { MINUTE_MS, uuidv7 } from '@gw/kernel';
import { MODERN_REVISIONS, SANDBOX_MCP_FACTS, SANDBOX_MCP_TOOLS, SANDBOX_MCP_URL } from '@gw/mcp';
import type { DataSource, EntityManager } from 'typeorm';
import { mcpServerKeys } from '../../platform/rows/mcp-rows';
import { ChangeRecorder } from '../../platform/unit-of-work/change-recorder';
import { changesOf, keptCapabilities } from '../../platform/upstreams/capability-changes';
import { infoOf } from './mcp-server-info';
import { serverCapability, type ServerSnapshot } from './mcp-snapshot';

const NAME = 'Sandbox';
const SLUG = 'sandbox';
const FIRST_SYNC_MS = 15 * MINUTE_MS;

/**
 * Registers the sandbox MCP server in a workspace that has never had a server with its slug, with
 * its tools approved, so that they can be called immediately. A server that a user deleted or
 * changed stays as it is. Returns whether it was added.
 */
export const ensureSandboxServer = (dataSource: DataSource, workspaceId: string): Promise<boolean> =>
  dataSource.transaction(async (manager) => {
    if (await manager.existsBy(McpServerEntity, { workspaceId, slug: SLUG })) return false;
    const { organisationId } = await manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    const integrationId = await saveIntegration(manager, { organisationId, workspaceId });
    const server = await manager.save(
      manager.create(McpServerEntity, {
        ...{ id: uuidv7(), organisationId, workspaceId, integrationId, slug: SLUG, name: NAME },
        description: 'Built in; its tools need no account.',
      }),
    );
    await new ChangeRecorder().record(manager, { changed: mcpServerKeys(server) });
    return true;
  });

async function saveIntegration(
  manager: EntityManager,
  owner: { readonly organisationId: string; readonly workspaceId: string },
): Promise<string> {
  const id = uuidv7();
  const taken = { organisationId: owner.organisationId, slug: SLUG, status: 'active' } as const;
  const isTaken = await manager.existsBy(McpIntegrationEntity, taken);
  const now = new Date();
  const snapshot = sandboxSnapshot();
  const integration = await manager.save(
    manager.create(McpIntegrationEntity, {
      ...{ id, ...owner, slug: isTaken ? `${SLUG}-${id.slice(-12)}` : SLUG, name: NAME },
      ...{ url: SANDBOX_MCP_URL, transport: 'http', authType: 'none', approvalMode: 'auto' },
      ...{ serverInfo: snapshot.info, approvedServer: snapshot.info },
      ...{ syncStatus: 'synced', lastSyncedAt: now, nextSyncAt: new Date(now.getTime() + FIRST_SYNC_MS) },
    }),
  );
  const read = { self: serverCapability(snapshot.info), capabilities: snapshot.capabilities };
  const unread = { ...integration, lastSyncedAt: null };
  const { rows } = await changesOf(McpCapabilityEntity, unread, [], read, { otherNames: [], now });
  await manager.save(McpCapabilityEntity, [...rows]);
  return id;
}

/** Returns the snapshot that a reading of the sandbox server would return. */
function sandboxSnapshot(): ServerSnapshot {
  const { serverInfo, capabilities, instructions } = SANDBOX_MCP_FACTS;
  const [revision] = MODERN_REVISIONS;
  const described = { capabilities, instructions: instructions ?? '', revision };
  return { info: infoOf(serverInfo, described), ...keptCapabilities([['tool', SANDBOX_MCP_TOOLS]]) };
}
