import { McpConnectionEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { TestAdminApi, Tenant } from './admin-api';
import { insertCapability, insertMcpApproval, insertMcpIntegration, serverInfo } from './mcp-servers';

interface Parts {
  readonly admin: TestAdminApi;
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: (method: string, url: string, body?: object) => Promise<unknown>;
}

/** Checks the responses of MCP servers against the document. Call it in a `describe`. */
export function checkMcpServerResponses({ admin, ours, step }: Parts): void {
  it('of MCP servers match the document', async () => {
    const { manager } = admin.dataSource;
    const upstream = await insertMcpIntegration(manager, ours, {
      ...{ serverInfo: serverInfo(), syncStatus: 'synced', lastSyncedAt: new Date() },
      ...{ configurations: { forward_headers: ['x-a'] }, maskedAuth: { client_secret: '*****' } },
    });
    await insertCapability(manager, upstream.id, 'read');
    const { id: userId } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    const { workspaceId } = ours;
    const made = await step('POST', '/v1/mcp-servers', {
      ...{ name: 'Full', description: 'x', slug: 'full-server', workspace_id: workspaceId },
      mcp_integration_id: upstream.slug,
    });
    const { id } = made as { readonly id: string };
    const url = `/v1/mcp-servers/${id}`;
    await step('GET', `/v1/mcp-servers?workspace_id=${workspaceId}`);
    await step('GET', url);
    await step('PUT', url, { description: 'y' });
    await step('GET', `${url}/metadata`);
    await step('GET', `${url}/health`);
    await step('POST', `${url}/test`);
    const toolset = await step('POST', '/v1/mcp-toolsets', {
      ...{ name: 'Full', instructions: 'x', workspace_id: workspaceId },
      members: [
        {
          ...{ server: id, prefix: 'f', include: ['r*'], exclude: ['x'], aliases: { read: 'look' } },
          overrides: { read: { title: 'Look' } },
        },
      ],
    });
    const toolsetUrl = `/v1/mcp-toolsets/${(toolset as { readonly id: string }).id}`;
    await step('GET', `/v1/mcp-toolsets?workspace_id=${workspaceId}`);
    await step('GET', toolsetUrl);
    await step('GET', `${toolsetUrl}/preview?user_id=${userId}`);
    await step('PUT', toolsetUrl, { mode: 'search' });
    await step('DELETE', toolsetUrl);
    const off = [{ type: 'tool', name: 'read', enabled: false }];
    await step('PUT', `${url}/capabilities`, { capabilities: off });
    await step('GET', `${url}/capabilities`);
    const exception = { user_id: userId, enabled: false };
    await step('PUT', `${url}/user-access`, { user_access: [exception], default_user_access: 'deny' });
    await step('GET', `${url}/user-access`);
    const when = [{ pointer: '/repo', op: 'prefix', value: 'acme/' }];
    const rules = [{ subject: { type: 'user', id: userId }, tools: ['read*'], effect: 'deny', when }];
    await step('PUT', `${url}/access-rules`, { rules, default: 'deny' });
    await step('GET', `${url}/access-rules`);
    await step('GET', `${url}/effective?user_id=${userId}`);
    await connect(admin, ours, id, userId);
    await step('GET', `${url}/connections`);
    await step('DELETE', `${url}/connections?user_id=${userId}`);
    const { id: approvalId } = await insertMcpApproval(manager, ours, id);
    await step('GET', `/v1/mcp-approvals?workspace_id=${workspaceId}&status=pending`);
    await step('POST', `/v1/mcp-approvals/${approvalId}/approve`, {});
    await step('POST', `/v1/mcp-approvals/${approvalId}/reject`, { reason: 'x' });
    await step('GET', `/v1/mcp-approvals/${approvalId}`);
    await step('DELETE', url);
  });
}

const connect = async (
  admin: TestAdminApi,
  { organisationId }: Tenant,
  serverId: string,
  userId: string,
): Promise<void> => {
  await admin.dataSource.manager.insert(McpConnectionEntity, {
    ...{ id: uuidv7(), organisationId, serverId, userId, status: 'connected' },
  });
};
