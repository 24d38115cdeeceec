import type { Tenant } from './admin-api';
import { MCP_SERVER } from './tenancy-fixtures';

interface Parts {
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: (method: string, url: string, body?: object) => Promise<{ readonly id: string }>;
}

/** Checks the responses of MCP integrations against the document. Call it in a `describe`. */
export function checkMcpResponses({ ours, step }: Parts): void {
  it('of MCP integrations match the document', async () => {
    const { id } = await step('POST', '/v1/mcp-integrations', {
      ...{ ...MCP_SERVER, name: 'Full', auth_type: 'headers', timeout_ms: 1_000 },
      configurations: { headers: { 'x-token': 'secret' }, forward_headers: ['x-team'] },
      pricing: { default_usd: 0.001, tools: { search: 0.0025 } },
    });
    const url = `/v1/mcp-integrations/${id}`;
    await step('GET', '/v1/mcp-integrations');
    await step('GET', url);
    await step('PUT', url, { description: 'full' });
    await step('PUT', `${url}/workspaces`, {
      workspaces: [{ id: ours.workspaceId, enabled: true }],
      global_workspace_access: { enabled: false },
    });
    await step('GET', `${url}/workspaces`);
    await step('GET', `${url}/workspaces?version=2`);
    await step('DELETE', url);
  });
}
