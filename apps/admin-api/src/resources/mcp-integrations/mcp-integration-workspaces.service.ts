import { McpIntegrationEntity, McpIntegrationWorkspaceEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager } from 'typeorm';
import { accessWorkspaceIds } from '../../platform/auth/workspace-references';
import type { At } from '../../platform/resource/at';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { mcpIntegrationTo } from './mcp-integration-rows';
import type { McpWorkspaceDto, UpdateMcpWorkspacesDto } from './mcp-integrations.dto';
import {
  toMcpWorkspaces,
  type McpWorkspaceResponse,
  type McpWorkspacesResponse,
} from './mcp-integrations.view';

const INTEGRATION = mcpIntegrationTo('update');

/** Which workspaces may use an organisation's MCP integration. */
@Injectable()
export class McpIntegrationWorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: At, version: string | undefined): Promise<McpWorkspacesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, mcpIntegrationTo('read'), at);
    const rows = await accessOf(manager, integration);
    const access = { global_workspace_access: integration.globalWorkspaceAccess };
    return version === undefined
      ? { workspaces: rows, ...access }
      : { data: rows, total: rows.length, ...access };
  }

  /** Sets the access of the named workspaces. Servers of workspaces without access are not offered any more. */
  update(at: At, input: UpdateMcpWorkspacesDto): Promise<object> {
    const {
      workspaces,
      global_workspace_access: global,
      override_existing_workspace_access: isWhole,
    } = input;
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, INTEGRATION, at);
      if (row.workspaceId !== null)
        throw invalid('workspaces', 'an integration of a workspace cannot be shared with other workspaces');
      const before = {
        workspaces: await accessOf(manager, row),
        global_workspace_access: row.globalWorkspaceAccess,
      };
      const ids = await accessWorkspaceIds(manager, row.organisationId, workspaces);
      if (global !== undefined) row.globalWorkspaceAccess = global && { enabled: global.enabled };
      if (isWhole === true)
        await manager.delete(McpIntegrationWorkspaceEntity, {
          integrationId: row.id,
          workspaceId: Not(In(ids)),
        });
      await grant(manager, row.id, ids, workspaces);
      // Increments the version, also when only rows of workspaces have changed.
      const { globalWorkspaceAccess } = row;
      await manager.update(McpIntegrationEntity, { id: row.id }, { globalWorkspaceAccess });
      const after = {
        workspaces: await accessOf(manager, row),
        global_workspace_access: globalWorkspaceAccess,
      };
      audit(write, INTEGRATION, 'update', row, { before, after });
      await publish(write, INTEGRATION, row);
      return {};
    });
  }
}

async function grant(
  manager: EntityManager,
  integrationId: string,
  ids: readonly string[],
  items: readonly McpWorkspaceDto[],
): Promise<void> {
  const where = { integrationId, workspaceId: In([...ids]) };
  const saved = await manager.findBy(McpIntegrationWorkspaceEntity, where);
  const byWorkspace = new Map(saved.map((row) => [row.workspaceId, row]));
  const rows = ids.map((workspaceId, index) => {
    const row =
      byWorkspace.get(workspaceId) ??
      manager.create(McpIntegrationWorkspaceEntity, { id: uuidv7(), integrationId, workspaceId });
    row.enabled = items[index]?.enabled === true;
    return row;
  });
  await manager.save(McpIntegrationWorkspaceEntity, rows);
}

async function accessOf(
  manager: EntityManager,
  integration: McpIntegrationEntity,
): Promise<McpWorkspaceResponse[]> {
  const rows =
    integration.workspaceId !== null
      ? []
      : await manager.find(McpIntegrationWorkspaceEntity, {
          where: { integrationId: integration.id },
          order: { createdAt: 'DESC', id: 'DESC' },
        });
  return toMcpWorkspaces(integration, rows);
}
