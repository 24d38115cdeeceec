import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { handlersOf, type Handler } from '../../spec-support/operations';
import { MAKERS, withIds, type Fixture, type Kind, type Place } from '../../spec-support/tenancy-fixtures';
import { TENANCY_ROWS } from '../../spec-support/tenancy-rows';

/** Members that a PUT ignores, with the reason. */
const PASSED_OVER: Readonly<Record<string, string>> = {
  workspace_id: 'selects where the call looks',
  organisation_id: 'selects where the call looks',
  users: 'of a workspace: GET shows them, and separate routes change them',
};

/** PUTs that refuse every member that they do not accept, even with its current value. */
const STRICT = [
  ...['guardrails_update', 'logExports_update', 'alertWebhooks_update', 'secretReferences_update'],
  ...['usageLimitPolicies_update', 'rateLimitPolicies_update'],
];

describe('members of a PUT that are fixed at creation', () => {
  const admin = new TestAdminApi();
  const tenant = admin.sharedTenant();
  const place: Place = { ...tenant, mark: 'ours', organisationMark: 'ours' };

  /** Returns each documented PUT whose POST accepts members that the PUT does not. */
  const pairs = (): readonly { readonly put: Handler; readonly fixed: readonly string[] }[] => {
    const handlers = new Map(handlersOf(admin).map((handler) => [handler.name, handler]));
    return [...handlers.values()].flatMap((put) => {
      const post = handlers.get(put.name.replace(/_update$/, '_create'));
      if (put.method !== 'put' || !post || post === put) return [];
      const fixed = [...post.members].filter((name) => !put.members.has(name) && !(name in PASSED_OVER));
      const isArchived = handlers.has(put.name.replace(/_update$/, '_remove')) && !put.members.has('status');
      return [{ put, fixed: isArchived ? [...fixed, 'status'] : fixed }];
    });
  };
  const fixtureOf = (kind: Kind | undefined): Promise<Fixture> =>
    kind === undefined ? Promise.resolve({ id: tenant.workspaceId }) : MAKERS[kind](admin, place);
  const bodyOf = (handler: string, fixture: Fixture): object =>
    TENANCY_ROWS[handler]?.body?.({
      ...{ fixture, workspaceId: tenant.workspaceId, targetId: tenant.workspaceId },
    }) ?? {};

  /** Creates a resource for the handler, and returns functions that call it. */
  const aimAt = async (put: Handler) => {
    const { kind, aim } = TENANCY_ROWS[put.name] ?? {};
    const fixture = await fixtureOf(kind);
    const path = withIds(put.path, fixture, false).replace('{workspaceId}', fixture.id);
    const key = aim === 'organisation' || aim === 'path' ? tenant.adminKey : tenant.key;
    const send = (more: object): Promise<GatewayResponse<Failure>> =>
      admin.put<Failure>(path, { key, body: { ...bodyOf(put.name, fixture), ...more } });
    // Some resources can only be read in lists.
    const read = async (): Promise<object> => {
      const { status, body } = await admin.get(path, { key });
      return status === 200 ? body : {};
    };
    return { before: await read(), read, send };
  };

  it('are refused by name when they differ, and accepted with the value that GET shows, in every documented PUT', async () => {
    const silent: unknown[] = [];
    const compared: string[] = [];
    for (const { put, fixed } of pairs()) {
      const { before, read, send } = await aimAt(put);
      for (const name of fixed) {
        const { status, body } = await send({ [name]: name === 'status' ? 'archived' : 'another' });
        const named = (body.error?.details ?? []).map((detail) => detail.path);
        if (status !== 400 || !named.includes(name)) silent.push([put.name, name, status, body]);
        compared.push(`${put.name}.${name}`);
      }
      expect([put.name, await read()]).toEqual([put.name, before]);
      const shown = Object.entries(before).filter(([name]) => fixed.includes(name));
      const { status, text } = await send(Object.fromEntries(shown));
      const expected = STRICT.includes(put.name) && shown.length > 0 ? 400 : 200;
      expect([put.name, status, text]).toEqual([put.name, expected, text]);
    }
    expect(silent).toEqual([]);
    expect(compared).toEqual(
      expect.arrayContaining([
        ...['providers_update.integration_id', 'providers_update.slug', 'workspaces_update.status'],
        ...['integrations_update.ai_provider_id', 'usageLimitPolicies_update.type', 'apiKeys_update.user_id'],
      ]),
    );
    expect(compared.length).toBeGreaterThan(30);
  });

  it('are refused with field, rule and remedy, and no other member is changed', async () => {
    const { id } = await MAKERS.provider(admin, place);
    const path = `/v1/providers/${id}`;
    const body = { note: 'changed', integration_id: 'another', status: 'archived' };
    const response = await admin.put<Failure>(path, { key: tenant.key, body });
    expect([response.status, response.body.error]).toMatchObject([
      400,
      {
        param: 'integration_id',
        message:
          'integration_id is set at creation and cannot be changed; leave it out, or create another resource.',
      },
    ]);
    expect(response.body.error.details?.[1]?.message).toContain('send DELETE');
    expect((await admin.get(path, { key: tenant.key })).body['note']).not.toBe('changed');
  });
});

describe('members that the specification lists for a PUT', () => {
  const admin = new TestAdminApi();
  const tenant = admin.sharedTenant();
  const place: Place = { ...tenant, mark: 'ours', organisationMark: 'ours' };

  it('reset the budget of a workspace with reset_usage', async () => {
    const path = `/v1/workspaces/${tenant.workspaceId}`;
    const usage_limits = [{ type: 'cost', credit_limit: 5 }];
    const put = (body: object): Promise<GatewayResponse> => admin.put(path, { key: tenant.adminKey, body });
    expect((await put({ usage_limits })).status).toBe(200);
    await admin.dataSource.query(
      `UPDATE workspaces SET usage_limits = jsonb_set(usage_limits, '{0,status}', '"exhausted"') WHERE id = $1`,
      [tenant.workspaceId],
    );
    const shown = async (): Promise<Record<string, unknown> | undefined> => {
      const { body } = await admin.get<{ usage_limits: Record<string, unknown>[] }>(path, {
        key: tenant.adminKey,
      });
      return body.usage_limits[0];
    };
    expect(await shown()).toMatchObject({ status: 'exhausted' });
    expect((await put({ reset_usage: true })).status).toBe(200);
    expect(await shown()).toMatchObject({ status: 'active', credit_limit: 5 });
    const [row] = await admin.dataSource.query<{ last_reset_at: Date | null }[]>(
      'SELECT last_reset_at FROM workspaces WHERE id = $1',
      [tenant.workspaceId],
    );
    expect(row?.last_reset_at).not.toBeNull();
  });

  it('archive an integration with status archived, like DELETE, only with its scope and without other members', async () => {
    const { id } = await MAKERS.integration(admin, place);
    const path = `/v1/integrations/${id}`;
    const put = (body: object, key = tenant.key): Promise<GatewayResponse> => admin.put(path, { key, body });
    expect((await put({ status: 'archived', name: 'x' })).status).toBe(400);
    expect((await put({ status: 'active' })).status).toBe(200);
    const scopes = ['workspace_integrations.update', 'workspace_integrations.read'];
    const updating = await admin.apiKey('workspace-service', tenant, scopes);
    expect((await put({ status: 'archived' }, updating)).status).toBe(404);
    expect((await put({ status: 'archived' })).status).toBe(200);
    expect((await admin.get(path, { key: tenant.key })).status).toBe(404);
  });
});
