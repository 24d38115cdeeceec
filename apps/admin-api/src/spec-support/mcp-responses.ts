import type { Tenant } from './admin-api';
import { MCP_SERVER, OPENAPI } from './tenancy-fixtures';

type Step = <T = { readonly id: string }>(method: string, url: string, body?: object) => Promise<T>;

interface Parts {
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: Step;
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
    await step('PUT', url, {
      ...{ description: 'full', tags: { team: 'x' }, data_classes: ['personal'], owner: 'Platform' },
      ...{ support_url: 'https://wiki.example.com', environment: 'production' },
    });
    await step('GET', `${url}/versions`);
    await step('POST', `${url}/versions/1/restore`, {});
    await step('GET', `${url}/health`);
    await step('PUT', `${url}/workspaces`, {
      workspaces: [{ id: ours.workspaceId, enabled: true }],
      global_workspace_access: { enabled: false },
    });
    await step('GET', `${url}/workspaces`);
    await step('GET', `${url}/workspaces?version=2`);
    const read = { type: 'tool', name: 'search', inputSchema: { type: 'object' } };
    await step('POST', `${url}/sync`, { server_info: { name: 'full' }, capabilities: [read] });
    await step('GET', `${url}/metadata`);
    const { data } = await step<{ data: { digest: string }[] }>('GET', `${url}/capabilities`);
    const items = [{ type: 'tool', name: 'search', digest: data[0]?.digest ?? '' }];
    await step('PUT', `${url}/capabilities`, {
      capabilities: [{ type: 'tool', name: 'search', enabled: false }],
    });
    for (const decision of ['reject', 'approve'])
      await step('POST', `${url}/capabilities/${decision}`, { items });
    await step('GET', `${url}/capabilities/changes`);
    await step('POST', `${url}/test`);
    await step('DELETE', url);
  });

  it('of integrations with an OpenAPI document match the document', async () => {
    const url = '/v1/mcp-integrations';
    const body = { name: 'Pets', auth_type: 'none', openapi: { spec: OPENAPI } };
    await step('POST', `${url}/from-openapi`, { ...body, commit: false });
    const { id } = await step('POST', `${url}/from-openapi`, body);
    await step('GET', `${url}/${id}/openapi`);
    await step('PUT', `${url}/${id}/openapi`, {
      include: { methods: ['get'] },
      aliases: { listPets: 'pets' },
    });
    await step('GET', `${url}/${id}/capabilities`);
  });

  it('of imports match the document', async () => {
    const server = {
      ...{ name: 'com.example/weather', title: 'Weather', version: '1.0.0' },
      remotes: [
        {
          ...{
            type: 'sse',
            url: 'https://{tenant}.example.com/sse',
            variables: { tenant: { choices: ['a'] } },
          },
          headers: [{ name: 'Authorization', value: 'Bearer {token}', isSecret: true }],
        },
      ],
      packages: [{ registryType: 'npm', identifier: 'weather' }],
    };
    const url = '/v1/mcp-integrations/import';
    await step('POST', url, { server_json: server });
    const values = { variables: { tenant: 'a' }, headers: { authorization: 'Bearer t' } };
    await step('POST', url, { server_json: server, commit: true, ...values });
  });
}
