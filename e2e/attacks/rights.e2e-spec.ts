import { eventually } from '@gw/testing';
import { request } from 'node:http';
import { withProduct, type NewKey, type Reply } from '../spec-support/workbench';

jest.setTimeout(600_000);

const bench = withProduct();

/** Creates an organisation key with only these scopes. */
const organisationKey = async (...scopes: string[]): Promise<string> => {
  const body = { name: 'Narrow', scopes };
  const key = bench().adminKey;
  return (await bench().manage<NewKey>('POST', '/api-keys/organisation/service', { key, body })).key;
};
const refused = ({ status, text }: Reply): void => {
  expect([status, text]).toEqual([403, expect.stringContaining('scope_exceeds_creator')]);
  expect(text).not.toMatch(/invite_link|"key"/);
};

describe('key with one scope', () => {
  it('cannot invite with rights that it lacks, and receives no invite link', async () => {
    const key = await organisationKey('organisation_users.create');
    const invite = (body: object): Promise<Reply> =>
      bench().call('POST', '/admin/users/invites', {
        key,
        body: { email: 'x@example.com', role: 'member', workspaces: [], ...body },
      });
    refused(await invite({ role: 'admin' }));
    const { workspace_id: id } = bench().product.credentials;
    refused(await invite({ workspaces: [{ id, role: 'admin' }] }));
  });

  it('cannot rotate a stronger key, which keeps working', async () => {
    const strong = await bench().manage<NewKey>('POST', '/api-keys/organisation/service', {
      key: bench().adminKey,
      body: { name: 'Strong', scopes: ['workspaces.list', 'organisation_service_api_keys.rotate'] },
    });
    const key = await organisationKey('organisation_service_api_keys.rotate');
    refused(await bench().call('POST', `/api-keys/${strong.id}/rotate`, { key, body: {} }));
    expect((await bench().call('GET', '/workspaces', { key: strong.key })).status).toBe(200);
  });
});

describe('workspace key', () => {
  it('cannot bypass a provider limit of the organisation by a deletion or a second provider', async () => {
    const { adminKey: key } = bench();
    const { workspace_id } = bench().product.credentials;
    const account = { name: 'Bound', ai_provider_id: 'openai', key: 'sk-0123456789abcdef', workspace_id };
    const body = { ...account, create_default_provider: false };
    const { id } = await bench().manage<NewKey>('POST', '/integrations', { key, body });
    const limits = { rate_limits: [{ type: 'requests', unit: 'rpm', value: 2 }] };
    const provider = { name: 'Bound', slug: 'bound', integration_id: id };
    const made = { key, body: { ...provider, ...limits, workspace_id } };
    await bench().manage('POST', '/providers', made);
    const attempts = [
      await bench().call('DELETE', '/providers/bound?force=true'),
      await bench().call('POST', '/providers', { body: { ...provider, slug: 'second' } }),
      await bench().call('DELETE', `/integrations/${id}`),
      await bench().call('PUT', '/providers/bound', { body: { rate_limits: null } }),
    ];
    for (const { status, text } of attempts)
      expect([status, text]).toEqual([403, expect.stringContaining('higher role')]);
    const moved = await bench().call('PUT', '/providers/bound', { body: { integration_id: 'another' } });
    expect([moved.status, moved.text]).toEqual([400, expect.stringContaining('integration_id')]);
  });
});

describe('failed logins', () => {
  interface Login {
    readonly status: number;
    /** Seconds until the next attempt is admitted; 0 if this one was admitted. */
    readonly waitS: number;
  }

  /** Logs in through the gateway as a client with the given address. */
  const login = (from: string, password: string): Promise<Login> =>
    new Promise((resolve, reject) => {
      const { hostname, port, pathname } = new URL(`${bench().baseUrl}/auth/login`);
      const headers = { 'content-type': 'application/json' };
      const options = { hostname, port, path: pathname, method: 'POST', localAddress: from, headers };
      const sent = request(options, (response) => {
        response.resume();
        const { statusCode: status = 0, headers: received } = response;
        response.once('end', () => resolve({ status, waitS: Number(received['retry-after'] ?? 0) }));
      });
      sent.once('error', reject);
      sent.end(JSON.stringify({ email: bench().product.credentials.owner_email, password }));
    });

  it('from one address delay only that address, also through the gateway', async () => {
    expect((await login('127.0.0.2', 'wrong')).status).toBe(401);
    const { owner_password: password } = bench().product.credentials;
    // The wait doubles with each failure. A long one lasts beyond the next request, except on a
    // machine that is busy for longer; the successful login then ends all waits.
    await eventually(
      async () => {
        await eventually(async () => (await login('127.0.0.2', 'wrong')).waitS > 5);
        return (await login('127.0.0.2', password)).status === 429;
      },
      { timeoutMs: 240_000 },
    );
    expect((await login('127.0.0.3', password)).status).toBe(200);
  });
});
