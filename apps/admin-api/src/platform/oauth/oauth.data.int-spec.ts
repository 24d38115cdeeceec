import { signClientAddress } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { createHash, randomBytes } from 'node:crypto';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { OauthJourney, PUBLIC_URL, RESOURCE } from './spec-support/oauth-journey';

type Value = string | readonly string[];
interface Case {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
  readonly expect: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Verdict of this server where a vector allows either. */
const EITHER: Readonly<Record<string, 'accept' | 'reject'>> = {
  ...{ 'oauth-132': 'accept', 'oauth-133': 'accept' }, // encoded in the redirect
  'oauth-134': 'reject', // invalid_scope
  'oauth-136': 'reject', // login_required
  ...{ 'oauth-139': 'accept', 'oauth-140': 'accept' }, // sso_client_id is ignored
};

const cases = (step: string): readonly (readonly [string, string, Case])[] =>
  (readCases('oauth.json') as { readonly cases: readonly Case[] }).cases
    .filter((each) => each.step === step)
    .map((each) => [each.id, each.reason, each] as const);

describe('OAuth requests with known verdicts', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  let clientId: string;
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'member' });
    clientId = await journey.clientId({
      redirect_uris: ['https://client.example.org/cb', 'http://127.0.0.1/cb'],
    });
  });
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');

  /** Returns the query of a vector. The vectors name no resource, which this server requires. */
  const queryOf = (parameters: Readonly<Record<string, Value>>): string => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ resource: RESOURCE, ...parameters })) {
      for (const each of [value].flat()) {
        if (each === '<ABSENT>') continue;
        query.append(name, each.replace('<ID>', clientId).replace('<S256>', challenge));
      }
    }
    return query.toString();
  };

  it.each(cases('authorize'))('authorize: %s %s', async (id, reason, { input, expect: wanted }) => {
    const response: GatewayResponse = await api.get(
      `/oauth/authorize?${queryOf(input['params'] as Readonly<Record<string, Value>>)}`,
    );
    const location = String(response.headers['location'] ?? '');
    const isAccepted = response.status === 303 && location.startsWith(`${PUBLIC_URL}/oauth/consent?`);
    expect([id, isAccepted ? 'accept' : 'reject']).toEqual([id, wanted === 'either' ? EITHER[id] : wanted]);
    expect(response.status).toBeLessThan(500);
    // The server never redirects to an unregistered address, not even with an error.
    if (/redirect_uri|loopback address|no client_id|unknown client/.test(reason))
      expect([response.status, location]).toEqual([400, '']);
    expect(String(response.headers['set-cookie'] ?? '')).not.toContain('x=y');
  });

  it.each(cases('register'))('[CTL-15] register: %s %s', async (id, _reason, { input, expect: wanted }) => {
    const body = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '<ABSENT>'));
    const { status, body: answer } = await api.post('/oauth/register', {
      body,
      // Each request comes from another network, so that the throttle does not affect the test.
      headers: {
        'x-gw-client-address': signClientAddress(
          SERVICE_TOKEN,
          `10.1.${id.slice(-3)}.1`.replace(/\.0+(?=\d)/, '.'),
        ),
      },
    });
    const isKnown = status === 201 || (status === 400 && /^invalid_/.test(String(answer['error'])));
    expect([status, isKnown]).toEqual([status, true]);
    if (wanted !== 'either') expect(status).toBe(wanted === 'accept' ? 201 : 400);
  });

  const exchanges = cases('token').filter(
    ([, , { input }]) =>
      'code' in input && !['<EXPIRED>', '<CODE_OF_OTHER_CLIENT>'].includes(String(input['code'])),
  );
  it.each(exchanges)('token: %s %s', async (_id, _reason, { input, expect: wanted }) => {
    const { begun, code } = await journey.code(clientId, user, tenant.workspaceId);
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(input as Readonly<Record<string, Value>>)) {
      for (const each of [value].flat()) {
        if (each === '<ABSENT>') continue;
        const known: Readonly<Record<string, string>> = {
          ...{ '<CODE>': code, '<ID>': clientId, '<VERIFIER>': begun.verifier },
          '<CHALLENGE>': createHash('sha256').update(begun.verifier).digest('base64url'),
        };
        form.append(name, known[each] ?? each);
      }
    }
    const { status } = await api.post('/oauth/token', {
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(wanted === 'accept' ? status === 200 : status === 400 || status === 401).toBe(true);
  });
});
