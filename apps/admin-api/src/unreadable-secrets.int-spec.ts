import { GuardrailVersionEntity, SsoConnectionEntity } from '@gw/entities';
import { TestAdminApi } from './spec-support/admin-api';

interface Shown {
  readonly id: string;
  readonly version_id: string;
  readonly checks: readonly { readonly parameters: object }[];
  readonly error?: { readonly param: string };
}

/** A sealed value of a master key that the installation no longer has. */
const LOST = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA';

describe('rows whose secrets cannot be opened', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const key = (): { key: string } => ({ key: tenant.adminKey });

  it('of an SSO connection hide no others, and it can be disabled, given a new secret and deleted', async () => {
    const path = '/v1/admin/organisation/sso-connections';
    const body = {
      name: 'IdP',
      issuer: 'https://idp.example.org',
      client_id: 'x',
      client_secret: 'a secret',
    };
    const { body: made } = await api.post<Shown>(path, { ...key(), body });
    const lose = (): Promise<unknown> =>
      api.dataSource.manager.update(SsoConnectionEntity, { id: made.id }, { sealedSecrets: LOST });
    const put = async (change: object): Promise<unknown[]> => {
      const { status, body: answer } = await api.put<Shown>(`${path}/${made.id}`, { ...key(), body: change });
      return [status, answer.error?.param];
    };
    await lose();
    expect((await api.get(path, key())).status).toBe(200);
    expect(await put({ status: 'disabled' })).toEqual([200, undefined]);
    const { sealedSecrets } = await api.dataSource.manager.findOneByOrFail(SsoConnectionEntity, {
      id: made.id,
    });
    expect(sealedSecrets).toBe(LOST);
    expect(await put({ client_id: 'y' })).toEqual([400, 'client_secret']);
    expect(await put({ client_secret: 'another secret' })).toEqual([200, undefined]);
    await lose();
    expect((await api.delete(`${path}/${made.id}`, key())).status).toBe(200);
  });

  it('of a guardrail do not prevent new checks and the deletion', async () => {
    const path = '/v1/guardrails';
    const at = `?workspace_id=${tenant.workspaceId}`;
    const webhook = (authorization: string): object => ({
      id: 'default.webhook',
      parameters: { webhookURL: 'https://checks.example.org', headers: { authorization } },
    });
    const body = { name: 'Checks', checks: [webhook('Bearer 0123456789')], actions: {} };
    const { body: made } = await api.post<Shown>(`${path}${at}`, { ...key(), body });
    const lose = (): Promise<unknown> =>
      api.dataSource.manager.update(
        GuardrailVersionEntity,
        { guardrailId: made.id },
        { sealedSecrets: LOST },
      );
    const put = async (change: object): Promise<number> =>
      (await api.put(`${path}/${made.id}${at}`, { ...key(), body: change })).status;
    const before = await api.get<Shown>(`${path}/${made.id}${at}`, key());
    await lose();
    const shown = await api.get<Shown>(`${path}/${made.id}${at}`, key());
    expect([shown.status, shown.body.checks[0]?.parameters]).toEqual([
      200,
      { webhookURL: 'https://checks.example.org' },
    ]);
    expect(await put({ checks: before.body.checks })).toBe(400);
    expect(await put({ checks: [webhook('Bearer 9876543210')] })).toBe(200);
    expect((await api.get(`${path}/${made.id}/versions${at}`, key())).status).toBe(200);
    await lose();
    expect((await api.delete(`${path}/${made.id}${at}`, key())).status).toBe(200);
  });
});
