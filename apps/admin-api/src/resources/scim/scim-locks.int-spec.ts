import { TestAdminApi } from '../../spec-support/admin-api';
import { raced, withoutDeadlockDetection } from '../../spec-support/lock-races';
import { IdentityProvider, type ScimResponse } from './spec-support/identity-provider';

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

describe('concurrent changes over SCIM', () => {
  const api: TestAdminApi = new TestAdminApi(() => withoutDeadlockDetection(api));
  const userMode: TestAdminApi = new TestAdminApi(async () => ({
    ...(await withoutDeadlockDetection(userMode)),
    SCIM_MEMBERSHIP_USER_MODE: 'ON',
  }));

  /** Returns the statuses of requests that start while another transaction holds the user's row. */
  const statusesOf = async (
    on: TestAdminApi,
    userId: string,
    starts: readonly (() => Promise<ScimResponse>)[],
  ): Promise<number[]> => {
    const row = { table: 'scim_users', where: 'user_id = $1', parameters: [userId] };
    return (await raced(on, row, starts)).map(({ status }) => status);
  };
  const fresh = async (on: TestAdminApi): Promise<IdentityProvider> =>
    IdentityProvider.of(on, await on.tenant());
  const renamed = (provider: IdentityProvider, id: string): Promise<ScimResponse> =>
    provider.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'ann.lee@example.org' });

  it('of an address and of a group that the user joins do not deadlock', async () => {
    const provider = await fresh(api);
    const id = await provider.user('ann@example.org');
    const group = await provider.group('Engineering');
    const member = { op: 'add', path: 'members', value: [{ value: id }] };
    const statuses = await statusesOf(api, id, [
      () => renamed(provider, id),
      () => provider.patch(`/Groups/${group}`, member),
    ]);
    expect([statuses, await provider.members(group)]).toEqual([[200, 200], [id]]);
  });

  it('of a user who is deleted and of the group that the user leaves do not deadlock', async () => {
    const provider = await fresh(api);
    const id = await provider.user('ann@example.org');
    const group = await provider.group('Engineering', [id]);
    const body = { schemas: [GROUP], displayName: 'Engineering', members: [] };
    const statuses = await statusesOf(api, id, [
      () => provider.call({ method: 'DELETE', path: `/Users/${id}` }),
      () => provider.call({ method: 'PUT', path: `/Groups/${group}`, body }),
    ]);
    expect([statuses, await provider.members(group)]).toEqual([[204, 200], []]);
  });

  it('of the groups of a user and of such a group, which is deleted, do not deadlock', async () => {
    const provider = await fresh(userMode);
    const id = await provider.user('ann@example.org');
    const group = await provider.group('Engineering');
    const other = await provider.group('Other');
    const groups = (...ids: string[]): object => ({
      op: 'add',
      path: 'groups',
      value: ids.map((value) => ({ value })),
    });
    expect((await provider.patch(`/Users/${id}`, groups(group))).status).toBe(200);
    const change = { op: 'remove', path: `groups[value eq "${group}"]` };
    const statuses = await statusesOf(userMode, id, [
      () => provider.patch(`/Users/${id}`, change, groups(other)),
      () => provider.call({ method: 'DELETE', path: `/Groups/${group}` }),
    ]);
    expect([statuses, await provider.members(other)]).toEqual([[200, 204], [id]]);
  });
});

describe('the ETag of a SCIM group', () => {
  const api = new TestAdminApi();
  const userMode = new TestAdminApi({ SCIM_MEMBERSHIP_USER_MODE: 'ON' });
  const tagOf = async (provider: IdentityProvider, group: string): Promise<unknown[]> => {
    const { headers, body } = await provider.call({ method: 'GET', path: `/Groups/${group}` });
    expect((body['meta'] as { version: string }).version).toBe(headers['etag']);
    return [headers['etag'], ((body['members'] ?? []) as unknown[]).length];
  };

  it('changes when a member is deleted, and not for groups without that member', async () => {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const id = await provider.user('ann@example.org');
    const groups = [await provider.group('With', [id]), await provider.group('Without')];
    const [before] = await Promise.all(groups.map((group) => tagOf(provider, group)));
    const without = await tagOf(provider, groups[1] ?? '');
    const { status } = await provider.call({ method: 'DELETE', path: `/Users/${id}` });
    const after = await tagOf(provider, groups[0] ?? '');
    expect([status, before?.[1], after[1]]).toEqual([204, 1, 0]);
    expect(after[0]).not.toBe(before?.[0]);
    expect(await tagOf(provider, groups[1] ?? '')).toEqual(without);
  });

  it('changes with the groups of a user where these count', async () => {
    const provider = await IdentityProvider.of(userMode, await userMode.tenant());
    const id = await provider.user('ann@example.org');
    const group = await provider.group('Engineering');
    const none = await tagOf(provider, group);
    await provider.patch(`/Users/${id}`, { op: 'add', path: 'groups', value: [{ value: group }] });
    const joined = await tagOf(provider, group);
    await provider.patch(`/Users/${id}`, { op: 'remove', path: 'groups' });
    const left = await tagOf(provider, group);
    expect(new Set([none[0], joined[0], left[0]]).size).toBe(3);
    expect([none[1], joined[1], left[1]]).toEqual([0, 1, 0]);
  });
});
