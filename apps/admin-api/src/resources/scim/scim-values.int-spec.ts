import { eventually } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider } from './spec-support/identity-provider';

const SCHEMAS = ['urn:ietf:params:scim:schemas:core:2.0:User'];

describe('SCIM requests with unusual values', () => {
  const api = new TestAdminApi();
  const fresh = async (): Promise<IdentityProvider> => IdentityProvider.of(api, await api.tenant());

  it('create no user with more attributes than a change may leave', async () => {
    const provider = await fresh();
    const roles = Array.from({ length: 40 }, (_, n) => ({ value: `${String(n)} ${'é'.repeat(250)}` }));
    const body = { schemas: SCHEMAS, userName: 'ann@example.org', roles };
    const created = await provider.call({ method: 'POST', path: '/Users', body });
    expect([created.status, created.body['scimType']]).toEqual([400, 'invalidValue']);
  });

  it.each([
    'userName eq "\\u0000"',
    'emails[value co "\\u0000"]',
    'userName eq "\\ud800"',
    'emails[value co "\\ud800"]',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created lt "9999-12-31T23:59:59-23:00"',
  ])('are refused for the filter %s', async (filter) => {
    const provider = await fresh();
    const found = await provider.call({ method: 'GET', path: '/Users', query: { filter } });
    expect([found.status, found.body['scimType']]).toEqual([400, 'invalidFilter']);
  });

  it.each([
    { userName: 'ann\ud800@example.org' },
    { userName: 'ann@example.org', displayName: '\ud800' },
    { userName: 'ann@example.org', externalId: '\ud800' },
    { userName: 'ann@example.org', name: { givenName: '\ud800' } },
    { userName: 'ann@example.org', roles: [{ value: '\ud800' }] },
    { userName: 'ann@example.org', displayName: '\u0000' },
  ])('are refused for %j', async (user) => {
    const provider = await fresh();
    const created = await provider.call({
      method: 'POST',
      path: '/Users',
      body: { schemas: SCHEMAS, ...user },
    });
    expect([created.status, created.body['scimType']]).toEqual([400, 'invalidValue']);
  });

  it('are shown among the exchanges with what can be stored of them', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const change = { op: 'replace', path: 'a\u0000\ud800', value: 'x' };
    expect((await provider.patch(`/Users/${id}`, change)).status).toBe(400);
    await eventually(async () => {
      const { body } = await api.get('/v1/scim/exchanges', { key: provider.tenant.adminKey });
      return JSON.stringify(body).includes('a\ufffd\ufffd');
    });
  });

  it('are refused for a value of active that has no text', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const value = { toString: 'false', valueOf: false };
    const changed = await provider.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
    expect([changed.status, changed.body['scimType']]).toEqual([400, 'invalidValue']);
  });

  it('give a group another ETag when they change its members', async () => {
    const provider = await fresh();
    const id = await provider.user('ann@example.org');
    const path = `/Groups/${await provider.group('Engineering')}`;
    const before = String((await provider.call({ method: 'GET', path })).headers['etag']);
    const added = await provider.patch(path, { op: 'add', path: 'members', value: [{ value: id }] });
    const after = String(added.headers['etag']);
    const read = (tag: string): Promise<number> =>
      provider.call({ method: 'GET', path, headers: { 'if-none-match': tag } }).then(({ status }) => status);
    expect([await read(before), await read(after)]).toEqual([200, 304]);
    const again = await provider.patch(path, { op: 'add', path: 'members', value: [{ value: id }] });
    expect(again.headers['etag']).toBe(after);
  });

  it('get 304 with the ETag when If-None-Match contains it in any form', async () => {
    const provider = await fresh();
    const path = `/Users/${await provider.user('ann@example.org')}`;
    const tag = String((await provider.call({ method: 'GET', path })).headers['etag']);
    for (const header of [tag, `"x", ${tag}`, tag.replace('W/', ''), '*']) {
      const read = await provider.call({ method: 'GET', path, headers: { 'if-none-match': header } });
      expect([read.status, read.headers['etag']]).toEqual([304, tag]);
    }
    const other = await provider.call({ method: 'GET', path, headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });

  it('are shown by a dry run with the status that they would get', async () => {
    const provider = await fresh();
    const path = `/Users/${await provider.user('ann@example.org')}`;
    const body = { method: 'DELETE', path };
    const shown = await api.post('/v1/scim/dry-run', { key: provider.tenant.adminKey, body });
    expect(shown.body['status']).toBe(204);
  });
});
