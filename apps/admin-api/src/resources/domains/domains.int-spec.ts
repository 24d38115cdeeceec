import { OrganisationDomainEntity, SessionEntity, UserEntity } from '@gw/entities';
import { NameServer, readCases } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';

const PATH = '/v1/admin/organisation/domains';

interface Domain {
  readonly id: string;
  readonly verified: boolean;
  readonly record_name: string;
  readonly record_value: string;
}

interface DomainCase {
  readonly id: string;
  readonly group: string;
  readonly input: { readonly domain: string; readonly allow_subdomains?: boolean };
  readonly expect: string;
  readonly reason: string;
}

describe('domains of an organisation', () => {
  let names: NameServer;
  const api = new TestAdminApi(async () => {
    names = await NameServer.start();
    return { DNS_SERVERS: names.address };
  });
  afterAll(() => names.stop());

  const ours = api.sharedTenant();
  const theirs = api.sharedTenant();
  const add = async (domain: string, key = ours.adminKey, more = {}): Promise<Domain> => {
    const { status, body } = await api.post<Domain>(PATH, { key, body: { domain, ...more } });
    expect([domain, status]).toEqual([domain, 200]);
    return body;
  };
  const verify = (id: string, key = ours.adminKey): Promise<{ status: number; body: unknown }> =>
    api.post(`${PATH}/${id}/verify`, { key });

  it('count once their TXT record exists, and can also be found by name', async () => {
    const { id, record_name: name, record_value: value, verified } = await add('Acme.Example');
    expect([verified, name]).toEqual([false, '_tollgate-challenge.acme.example']);
    const refused = await verify(id);
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ param: 'domain' }) as unknown }),
    ]);
    names.set(name, ['another text', value]);
    expect((await verify('acme.example')).status).toBe(200);
    const shown = await api.get<Domain>(`${PATH}/ACME.example`, { key: ours.adminKey });
    expect(shown.body.verified).toBe(true);
  });

  const { cases } = readCases('oidc.json') as { readonly cases: readonly DomainCase[] };
  // Other tests cover the cases of DNS responses and of other organisations, which have a note in
  // parentheses after the domain; `recheck` is a job of the worker.
  const ofNames = cases.filter(
    ({ group, input }) =>
      group === 'domain' && !('txt' in input || 'recheck' in input) && !/\(/.test(input.domain),
  );

  it.each(ofNames)('$id: $reason', async ({ input, expect: verdict }) => {
    const { adminKey: key } = await api.tenant();
    const { status, body } = await api.post<{ domain: string }>(PATH, { key, body: input });
    expect(status).toBe(verdict === 'reject' ? 400 : 200);
    if (verdict === 'reject') return;
    const [, name = input.domain] = /^accept as (.+)$/.exec(verdict) ?? [];
    expect(body.domain).toBe(name);
  });

  it('belong to the first organisation that verifies them', async () => {
    const [one, other] = [await add('shared.example'), await add('shared.example', theirs.adminKey)];
    names.set(one.record_name, [one.record_value, other.record_value]);
    const verifyOne = () => verify(one.id);
    const verifyOther = () => verify(other.id, theirs.adminKey);
    const [first, second] = await Promise.all([verifyOne(), verifyOther()]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    // Without a proof, a caller does not learn whether another organisation has the domain.
    names.set(one.record_name, []);
    const verifyAsLoser = first.status === 409 ? verifyOne : verifyOther;
    expect((await verifyAsLoser()).status).toBe(400);
  });

  it('end the sessions of single sign-on for addresses that they lose when narrowed or removed, and no others', async () => {
    const { manager } = api.dataSource;
    const session = async (email: string, tenant = ours, byPassword = false): Promise<string> => {
      const { id, email: old } = await api.user(tenant.organisationId, 'member');
      const token = await api.login(old);
      await manager.update(SessionEntity, { userId: id }, { byPassword });
      await manager.update(UserEntity, { id }, { email });
      return token;
    };
    const ended = [await session('ann@Left.example'), await session('bob@team.left.example')];
    const kept = [
      await session('cem@left.example', ours, true),
      await session('dan@left.example', theirs),
      await session('eve@other-left.example'),
    ];
    const statuses = (tokens: string[]): Promise<number[]> =>
      Promise.all(tokens.map(async (token) => (await api.get('/v1/auth/self', { token })).status));
    const { id } = await add('left.example', ours.adminKey, { allow_subdomains: true });
    await manager.update(OrganisationDomainEntity, { id }, { verifiedAt: new Date() });
    expect(await statuses([...ended, ...kept])).toEqual([200, 200, 200, 200, 200]);
    const narrow = { key: ours.adminKey, body: { allow_subdomains: false } };
    expect((await api.put(`${PATH}/${id}`, narrow)).status).toBe(200);
    expect(await statuses([...ended, ...kept])).toEqual([200, 401, 200, 200, 200]);
    expect((await api.delete(`${PATH}/${id}`, { key: ours.adminKey })).status).toBe(200);
    expect(await statuses([...ended, ...kept])).toEqual([401, 401, 200, 200, 200]);

    const again = await session('flo@unproven.example');
    const unproven = await add('unproven.example');
    await api.delete(`${PATH}/${unproven.id}`, { key: ours.adminKey });
    expect(await statuses([again])).toEqual([200]);
  });

  it('are unavailable, not unverified, while DNS does not respond', async () => {
    const { id, record_name: name } = await add('slow.example');
    names.fail(name);
    expect((await verify(id)).status).toBe(503);
  });

  it.each([
    ['gmail.com', {}, /mail service/],
    ['co.uk', {}, /suffix/],
    ['not a domain', {}, /domain name/],
    ['eu.acme.example', { allow_subdomains: true }, /only as acme.example/],
  ])('are refused for %s %j', async (domain, more, message) => {
    const { status, body } = await api.post<{ error: { message: string; param: string } }>(PATH, {
      key: ours.adminKey,
      body: { domain, ...more },
    });
    expect([status, body.error.param]).toEqual([400, 'domain']);
    expect(JSON.stringify(body)).toMatch(message);
  });
});
