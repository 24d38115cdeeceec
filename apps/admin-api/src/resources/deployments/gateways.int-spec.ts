import { INTERNAL } from '@gw/contracts';
import { GATEWAY_VERSION } from '@gw/kernel';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import type { GatewayResponse } from './gateways.dto';

describe('gateways of the installation', () => {
  const admin = new TestAdminApi();
  const tenant = admin.sharedTenant();

  const report = (id: string, version: string): Promise<{ status: number }> =>
    admin.post(INTERNAL.gateways, { token: SERVICE_TOKEN, body: { id, version } });
  const listed = async (): Promise<GatewayResponse[]> =>
    (await admin.get<{ data: GatewayResponse[] }>('/v1/admin/gateways', { key: tenant.adminKey })).body.data;

  it('are listed with each version and a warning for each feature that it lacks [VER-02]', async () => {
    const expected: Readonly<Record<string, readonly string[]>> = {
      '1.99.99': ['block_inline_config', 'mcp_tool_rate_limits'],
      '2.10.9': ['block_inline_config', 'mcp_tool_rate_limits'],
      '2.11.0': ['mcp_tool_rate_limits'],
      '2.17.9': ['mcp_tool_rate_limits'],
      '2.18.0': [],
      '3.0.0': [],
      [GATEWAY_VERSION]: [],
    };
    for (const version of Object.keys(expected))
      expect((await report(`host-${version}`, version)).status).toBe(200);
    const shown = await listed();
    for (const [version, features] of Object.entries(expected)) {
      const gateway = shown.find((each) => each.version === version);
      expect(gateway).toMatchObject({ version, connected: true, object: 'gateway' });
      expect(gateway?.warnings.map(({ feature }) => feature)).toEqual(features);
    }
    const [oldest] = shown.filter(({ version }) => version === '2.10.9');
    expect(oldest?.warnings[0]).toEqual({
      feature: 'block_inline_config',
      minimum_version: '2.11.0',
      message: 'On version 2.10.9 inline configuration is not blocked: block_inline_config needs 2.11.0.',
    });
  });

  it('have one row each with the latest version, and a silent gateway is shown as not connected', async () => {
    await report('upgraded', '2.11.1');
    await report('upgraded', '2.20.1');
    const upgraded = async (): Promise<GatewayResponse[]> =>
      (await listed()).filter(({ version }) => ['2.11.1', '2.20.1'].includes(version));
    expect(await upgraded()).toMatchObject([{ version: '2.20.1' }]);
    await admin.dataSource.query(
      `UPDATE gateways SET last_seen_at = now() - interval '2 minutes' WHERE id = 'upgraded'`,
    );
    expect(await upgraded()).toMatchObject([{ connected: false }]);
    await admin.dataSource.query(
      `UPDATE gateways SET last_seen_at = now() - interval '25 hours' WHERE id = 'upgraded'`,
    );
    await report('other', '2.20.0');
    expect(await upgraded()).toEqual([]);
  });

  it('are shown with stable pseudonyms in place of host names', async () => {
    for (const number of ['0', '1']) await report(`node-7.internal.example/${number}`, '2.20.2');
    const ids = async (): Promise<string[]> =>
      (await listed()).filter(({ version }) => version === '2.20.2').map(({ id }) => id);
    const [first = '', second = ''] = (await ids()).sort();
    expect(first).toMatch(/^gateway-[0-9a-f]{12}\/0$/);
    expect(second).toBe(first.replace(/0$/, '1'));
    await report('node-7.internal.example/0', '2.20.2');
    expect((await ids()).sort()).toEqual([first, second]);
    expect((await admin.get('/v1/admin/gateways', { key: tenant.adminKey })).text).not.toContain('node-7');
  });

  it('report only with the service token and a version of three numbers', async () => {
    const body = { id: 'x', version: '2.20.0' };
    for (const call of [{}, { key: tenant.adminKey }, { token: 'guessed' }])
      expect((await admin.post(INTERNAL.gateways, { ...call, body })).status).toBe(401);
    for (const version of ['2.20', '2.20.0-rc1', '', 'a.b.c', '2.20.0.1'])
      expect((await report('x', version)).status).toBe(400);
    for (const id of ['', 'x'.repeat(256)]) expect((await report(id, '2.20.0')).status).toBe(400);
  });

  it('are refused to a workspace key with 403 and without a credential with 401', async () => {
    const key = await admin.apiKey('workspace-service', {
      organisationId: tenant.organisationId,
      workspaceId: tenant.workspaceId,
    });
    expect((await admin.get('/v1/admin/gateways', { key })).status).toBe(403);
    expect((await admin.get('/v1/admin/gateways', {})).status).toBe(401);
  });
});
