import { TestAdminApi, type Call, type GatewayResponse } from './spec-support/admin-api';
import { raced, withoutDeadlockDetection, type HeldRow } from './spec-support/lock-races';
import { IdentityProvider } from './resources/scim/spec-support/identity-provider';

describe('concurrent changes of related rows do not deadlock', () => {
  const api: TestAdminApi = new TestAdminApi(() => withoutDeadlockDetection(api));

  interface Place {
    readonly organisationId: string;
    readonly workspaceId: string;
    readonly userId: string;
    readonly email: string;
    readonly keyId: string;
    /** Credential of the organisation. */
    readonly call: Call;
  }

  /** Returns a workspace with a member and the member's API key. */
  const place = async (): Promise<Place> => {
    const { organisationId, adminKey: key } = await api.tenant();
    const workspaceId = await api.workspace(organisationId);
    const { id: userId, email } = await api.user(organisationId, 'member', { [workspaceId]: 'member' });
    await api.apiKey('workspace-user', { organisationId, workspaceId, userId });
    const [row] = await api.dataSource.query<{ id: string }[]>('SELECT id FROM api_keys WHERE user_id = $1', [
      userId,
    ]);
    return { organisationId, workspaceId, userId, email, keyId: row?.id ?? '', call: { key } };
  };
  const keyRow = ({ keyId }: Place): HeldRow => ({
    ...{ table: 'api_keys', where: 'id = $1', parameters: [keyId] },
  });
  const secretsOf = ({ keyId }: Place): HeldRow => ({
    ...{ table: 'api_key_secrets', where: 'api_key_id = $1', parameters: [keyId] },
  });
  const removeMember = ({ workspaceId, userId, call }: Place): Promise<GatewayResponse> =>
    api.delete(`/v1/admin/workspaces/${workspaceId}/users/${userId}`, call);
  const deleteWorkspace = async ({ workspaceId, call }: Place): Promise<GatewayResponse> => {
    const path = `/v1/admin/workspaces/${workspaceId}`;
    const { body } = await api.get<{ name: string }>(path, call);
    return api.delete(path, { ...call, body: { name: body.name, force_delete: true } });
  };
  const statuses = async (
    row: HeldRow,
    ...starts: (() => Promise<{ status: number }>)[]
  ): Promise<number[]> => (await raced(api, row, starts)).map(({ status }) => status);

  it('when a key is rotated whose user leaves the workspace', async () => {
    const at = await place();
    const token = await api.login(at.email);
    const rotate = (): Promise<GatewayResponse> =>
      api.post(`/v1/api-keys/${at.keyId}/rotate`, { token, body: {} });
    expect(await statuses(secretsOf(at), () => removeMember(at), rotate)).toEqual([200, 404]);
  });

  it('when a workspace is deleted that a member leaves', async () => {
    const at = await place();
    expect(
      await statuses(
        keyRow(at),
        () => deleteWorkspace(at),
        () => removeMember(at),
      ),
    ).toEqual([200, 404]);
  });

  it('when a workspace is deleted in which a config becomes the default', async () => {
    const at = await place();
    const query = `?workspace_id=${at.workspaceId}`;
    const body = { name: 'Next', config: { provider: '@openai' } };
    const { body: made } = await api.post<{ slug: string }>(`/v1/configs${query}`, { ...at.call, body });
    const makeDefault = (): Promise<GatewayResponse> =>
      api.put(`/v1/configs/${made.slug}${query}`, { ...at.call, body: { isDefault: 1 } });
    expect(await statuses(keyRow(at), () => deleteWorkspace(at), makeDefault)).toEqual([200, 404]);
  });

  it('when the identity provider deactivates a user whose role changes', async () => {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const { organisationId, adminKey: key } = provider.tenant;
    const userId = await provider.user('ann@example.org');
    // Ids increase, so a row of an owner who comes later is locked after that of the user.
    const { id: ownerId } = await api.user(organisationId, 'owner');
    const row = {
      table: 'organisation_users',
      ...{ where: 'organisation_id = $1 AND user_id = $2', parameters: [organisationId, ownerId] },
    };
    const change = (): Promise<GatewayResponse> =>
      api.put(`/v1/admin/users/${userId}`, { key, body: { role: 'admin' } });
    expect(await statuses(row, () => provider.setActive(userId, false), change)).toEqual([200, 404]);
  });
});
