import { signClientAddress } from '@gw/kernel';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import { formOf, OauthJourney, PUBLIC_URL } from './spec-support/oauth-journey';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FAILURES_PER_MINUTE = 120;

describe('endpoints of the OAuth server', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);

  /** Sends one request more than a network may fail in a minute, and returns the first and last status. */
  async function afterFailures(
    network: string,
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly [number | undefined, number | undefined]> {
    const from = { 'x-gw-client-address': signClientAddress(SERVICE_TOKEN, network) };
    const statuses: number[] = [];
    await withStoppedClock(async () => {
      for (let count = 0; count <= FAILURES_PER_MINUTE; count += 1) {
        const call = { body: formOf(form), headers: { ...FORM, ...from, ...headers } };
        statuses.push((await api.post(path, call)).status);
      }
    });
    return [statuses[0], statuses.at(-1)];
  }

  it('limits guesses of credentials at introspection', async () => {
    const token = `pat_${'x'.repeat(43)}`;
    const guess = { authorization: 'Bearer unknown-key' };
    expect(await afterFailures('10.2.1.1', '/oauth/introspect', { token }, guess)).toEqual([401, 429]);
    expect((await journey.introspect(token, tenant.adminKey)).status).toBe(200);
  });

  it('limits guesses of client secrets at revocation', async () => {
    const form = { token: `prt_${'x'.repeat(43)}`, client_id: 'unknown', client_secret: 'guess' };
    expect(await afterFailures('10.2.2.1', '/oauth/revoke', form)).toEqual([401, 429]);
  });

  it('lets pages of other origins read why a registration or a resource was refused', async () => {
    const refused = [
      await api.post('/oauth/register', { body: { redirect_uris: ['http://client.example.org/cb'] } }),
      await api.post('/oauth/register', {
        body: 'x'.repeat(70_000),
        headers: { 'content-type': 'application/json' },
      }),
      await api.get('/.well-known/oauth-protected-resource'),
    ];
    expect(refused.map(({ status, headers }) => [status, headers['access-control-allow-origin']])).toEqual([
      [400, '*'],
      [413, '*'],
      [404, '*'],
    ]);
    const token = await api.post('/oauth/token', { body: formOf({ resource: 'x' }), headers: FORM });
    expect([token.status, token.headers['access-control-allow-origin']]).toEqual([400, undefined]);
  });
});
