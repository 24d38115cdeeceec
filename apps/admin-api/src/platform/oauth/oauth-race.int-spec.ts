import { OauthArtifactEntity } from '@gw/entities';
import { readSettings } from '@gw/kernel';
import type { AdminApi } from '../../app';
import { ADMIN_SETTINGS } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN, startAdminApi, TestAdminApi } from '../../spec-support/admin-api';
import { formOf, OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

const EXCHANGES = 50;

describe('OAuth server in three apps over one database', () => {
  const api = new TestAdminApi({ PUBLIC_URL, DB_POOL_SIZE: '12' });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let apps: AdminApi[];
  beforeAll(async () => {
    const settings = readSettings(ADMIN_SETTINGS, {
      ...{ DATABASE_URL: api.database.url, DB_POOL_SIZE: '12', PUBLIC_URL, SERVICE_TOKEN },
      ...{ ENCRYPTION_KEY: MASTER_KEY.toString('base64'), CONTROL_PLANE_RATE_LIMIT: '0' },
    });
    apps = [api.api, await startAdminApi(settings), await startAdminApi(settings)];
  });
  afterAll(() => Promise.all(apps.slice(1).map(({ app }) => app.close())));

  /** Returns the statuses of all exchanges, successes first. */
  async function race(form: Readonly<Record<string, string>>): Promise<readonly number[]> {
    const statuses = await Promise.all(
      Array.from({ length: EXCHANGES }, async (_, index) => {
        const response = await apps[index % apps.length]?.app.inject({
          ...{ method: 'POST', url: '/oauth/token', payload: formOf(form) },
          remoteAddress: `10.0.${String(index)}.1`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        return response?.statusCode ?? 0;
      }),
    );
    // Late requests are refused; none waits for another one until the database ends it.
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    return statuses.sort((a, b) => a - b);
  }
  const withToken = (statuses: readonly number[]): number =>
    statuses.filter((status) => status === 200).length;

  it('[SCP-11] issues one token for 50 concurrent exchanges of one code [oauth-155]', async () => {
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const clientId = await journey.clientId();
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const statuses = await race({
      ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: begun.redirectUri },
      code_verifier: begun.verifier,
    });
    expect(withToken(statuses)).toBe(1);
    expect(statuses.slice(1).filter((status) => status < 400)).toEqual([]);
    expect(await tokensOf(clientId)).toBeLessThanOrEqual(1);
  });

  it('[SCP-11] issues one token for 50 concurrent uses of one refresh token', async () => {
    const user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    const clientId = await journey.clientId();
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const { body } = await journey.exchange(begun, code);
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: clientId };
    expect(withToken(await race(form))).toBe(1);
    expect(await tokensOf(clientId)).toBeLessThanOrEqual(2);
  });

  const tokensOf = (clientId: string): Promise<number> =>
    api.dataSource.manager.countBy(OauthArtifactEntity, { clientId, model: 'AccessToken' });
});
