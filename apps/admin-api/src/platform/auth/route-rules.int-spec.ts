import { ALL_OPEN, SCOPES, SECURITY_SETTINGS, scopesAllowedFor } from '@gw/auth-scopes';
import { OrganisationEntity } from '@gw/entities';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';
import { isProtocolRoute } from '../../spec-support/protocol-routes';
import { severalAtATime } from '../../spec-support/several-at-a-time';
import { ROLES } from './access-table';
import { routeRules } from './route-rules';

interface Operation {
  /** Handler of the route. Several paths may share one: /v1, /v2 and aliases. */
  readonly handler: string;
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly scopes: readonly string[];
  readonly keyTypes: readonly string[];
  readonly roles: readonly string[];
  readonly settings: readonly string[];
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>).map(([method, operation]) => ({
      handler: String(operation['operationId']).split('__', 1)[0] ?? '',
      method: method.toUpperCase(),
      path,
      access: String(operation['x-gw-access']),
      scopes: (operation['x-gw-scopes'] ?? []) as string[],
      keyTypes: (operation['x-gw-key-types'] ?? []) as string[],
      roles: (operation['x-gw-roles'] ?? []) as string[],
      settings: (operation['x-gw-security-settings'] ?? []) as string[],
    })),
  );
}

function byHandler(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const same = groups.get(operation.handler);
    if (same) same.push(operation);
    else groups.set(operation.handler, [operation]);
  }
  return groups;
}

/**
 * Returns one path of every handler, a different one for each `turn`. The access rule belongs to
 * the handler, so all its paths share it.
 */
const onePathEach = (operations: readonly Operation[], turn: number): Operation[] =>
  [...byHandler(operations).values()].flatMap((same) => same[turn % same.length] ?? []);

const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';
/**
 * Replaces path parameters with an unknown id. Limits a log tail, which lasts as long as its caller
 * wants.
 */
const withIds = (path: string): string =>
  path.replaceAll(/\{[^}]+\}/g, UNKNOWN_ID) + (path.endsWith('/logs/tail') ? '?max_seconds=1' : '');

describe('access rules of live routes', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  let operations: Operation[];

  beforeAll(async () => {
    tenant = await admin.tenant();
    operations = operationsOf(admin.api.document);
  });

  const keys = new Map<string, Promise<string>>();
  /** Returns the same key for all routes that need the same scopes. */
  function keyWith(scopes: readonly string[]): Promise<string> {
    const name = scopes.join(' ');
    const { organisationId } = tenant;
    const key = keys.get(name) ?? admin.apiKey('organisation-service', { organisationId }, scopes);
    keys.set(name, key);
    return key;
  }

  it('declares an access rule for every route, and documents every route that is not internal or a page', () => {
    const rules = routeRules(admin.api.app);
    expect(rules.filter(({ rule }) => rule === undefined)).toEqual([]);
    const documented = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const { routeTable } = admin.api.app.getHttpAdapter().getInstance();
    // HEAD is GET without a body: the same handler and guard serve it.
    const missing = (routeTable?.all() ?? [])
      .filter(([method, pattern]) => method !== 'HEAD' && !isProtocolRoute(pattern))
      .map(([method, pattern]) => `${method} ${pattern.replaceAll(/:([^/]+)/g, '{$1}')}`)
      .filter((route) => !documented.has(route))
      .filter(
        (route) =>
          !/ \/(?:(?:v2\/)?oauth\/|\.well-known\/|v[12]\/auth\/saml\/(?:metadata|slo)\/|internal\/|docs|console(?:\/\*)?$|(?:invite|reset)\/\{token\}$|openapi|(?:v[12]\/)?health\/parts$|$|v[12]\/batches\/|v[12]\/logs\/exports\/\{exportId\}\/file$)/.test(
            route,
          ),
      );
    expect(missing).toEqual([]);
    expect(operations.length).toBeGreaterThan(60);
  });

  it('requires only scopes of the catalogue', () => {
    const named = operations.flatMap(({ scopes }) => scopes);
    expect(named.filter((scope) => !SCOPES.includes(scope))).toEqual([]);
    const open = operations.filter(
      ({ access }) => !['scopes', 'public', 'session', 'api_key'].includes(access),
    );
    expect(open).toEqual([]);
    expect(operations.filter(({ access, scopes }) => access === 'scopes' && scopes.length === 0)).toEqual([]);
  });

  it('responds with 401 without a credential on every route that is not public', async () => {
    const open: string[] = [];
    for (const { method, path, access } of operations) {
      if (access === 'public') continue;
      const { status, body } = await admin.call<{ error?: { code?: string } }>(method, withIds(path));
      if (status !== 401 || body.error?.code !== 'AB05') open.push(`${method} ${path}: ${String(status)}`);
    }
    expect(open).toEqual([]);
  });

  it('responds with 403 on every route to a key that holds all scopes except those that the route requires', async () => {
    const open: string[] = [];
    for (const { method, path, access, scopes } of operations) {
      if (access !== 'scopes') continue;
      const key = await keyWith(SCOPES.filter((scope) => !scopes.includes(scope)));
      const target = withIds(path.replace('{workspaceId}', tenant.workspaceId));
      const { status, body } = await admin.call<{ error?: { type?: string } }>(method, target, { key });
      if (status !== 403 || body.error?.type !== 'scope_missing') {
        open.push(`${method} ${path}: ${String(status)}`);
      }
      if (method === 'GET' && (await admin.call('HEAD', target, { key })).status !== 403) {
        open.push(`HEAD ${path}`);
      }
    }
    expect(open).toEqual([]);
  }, 300_000);

  it('admits a key with one of the required scopes on every route', async () => {
    const shut: string[] = [];
    for (const { method, path, access, scopes } of onePathEach(operations, 0)) {
      if (access !== 'scopes') continue;
      for (const scope of scopes) {
        const key = await keyWith([scope]);
        const target = withIds(path.replace('{workspaceId}', tenant.workspaceId));
        const { status, body } = await admin.call<{ error?: { type?: string; required_scopes?: string[] } }>(
          method,
          target,
          { key },
        );
        const refused = body.error?.type === 'scope_missing' && body.error.required_scopes?.includes(scope);
        if (refused || status === 401 || status >= 500) shut.push(`${method} ${path}: ${String(status)}`);
      }
    }
    expect(shut).toEqual([]);
  }, 300_000);

  it('[CTL-14 in part] refuses an API key on a session-only route', async () => {
    const sessionOnly = operations.filter(({ access }) => access === 'session');
    expect(sessionOnly.map(({ path }) => path)).toContain('/v1/auth/self');
    for (const { method, path } of sessionOnly) {
      for (const key of [tenant.adminKey, tenant.key]) {
        expect((await admin.call(method, path, { key })).status).toBe(401);
      }
    }
  });

  it('refuses a session on a route that needs an API key', async () => {
    const { email } = await admin.user(tenant.organisationId, 'owner');
    const token = await admin.login(email);
    const keyOnly = operations.filter(({ access }) => access === 'api_key');
    expect(keyOnly.map(({ path }) => path)).toContain('/v1/api-keys/self/details');
    for (const { method, path } of keyOnly) {
      expect((await admin.call(method, path, { token })).status).toBe(401);
    }
  });

  it('refuses internal routes without the service token', async () => {
    const call = { body: { keys: [] } };
    expect((await admin.post('/internal/v1/documents', call)).status).toBe(401);
    expect((await admin.post('/internal/v1/documents', { ...call, key: tenant.adminKey })).status).toBe(401);
    expect((await admin.post('/internal/v1/documents', { ...call, token: 'x'.repeat(40) })).status).toBe(401);
  });
});

interface Refused {
  readonly error?: { readonly type?: string; readonly security_settings?: string[] };
}

describe('access table in the document', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  let operations: Operation[];

  beforeAll(async () => {
    tenant = await admin.tenant();
    operations = operationsOf(admin.api.document).filter(({ access }) => access === 'scopes');
  });

  const settle = (settings: Record<string, boolean>): Promise<unknown> =>
    admin.dataSource.manager.update(
      OrganisationEntity,
      { id: tenant.organisationId },
      { securitySettings: settings },
    );
  let turns = 0;
  const target = (path: string): string => withIds(path.replace('{workspaceId}', tenant.workspaceId));

  /** Returns the routes whose response differs from their row in the access table. */
  async function unlike(
    by: { readonly key?: string; readonly token?: string },
    isAllowed: (operation: Operation) => boolean,
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const operation of onePathEach(operations, (turns += 1))) {
      const { method, path } = operation;
      const { status, body } = await admin.call<Refused>(method, target(path), by);
      const isRefused = status === 403 && body.error?.type === 'scope_missing';
      // A workspace that the caller cannot reach is hidden before scopes are checked.
      const isHidden = status === 404 && path.includes('{workspaceId}');
      const isRight = isAllowed(operation)
        ? !isRefused && status !== 401 && status < 500
        : isRefused || isHidden;
      if (!isRight) wrong.push(`${method} ${path}: ${String(status)} ${body.error?.type ?? ''}`);
    }
    return wrong;
  }

  it('has the same row for all paths of a handler', () => {
    const rowsOf = (same: readonly Operation[]): Set<string> =>
      new Set(same.map(({ handler: _handler, path: _path, ...row }) => JSON.stringify(row)));
    const unlikeOnes = [...byHandler(operations)].filter(([, same]) => rowsOf(same).size > 1);
    expect(unlikeOnes.map(([handler]) => handler)).toEqual([]);
  });

  it('has scopes, key types and roles for every route', () => {
    const empty = operations.filter(
      ({ scopes, keyTypes, roles }) => scopes.length === 0 || keyTypes.length === 0 || roles.length === 0,
    );
    expect(empty).toEqual([]);
  });

  it('lists jwt as the key type of no route, and refuses a token without a trust as a key', async () => {
    expect(operations.filter(({ keyTypes }) => keyTypes.includes('jwt'))).toEqual([]);
    const jwt = `${Buffer.from('{"alg":"RS256","kid":"a"}').toString('base64url')}.e30.c2ln`;
    expect((await admin.call('GET', '/v1/configs', { key: jwt })).status).toBe(401);
  });

  it.each(['organisation-service', 'workspace-service', 'workspace-user'] as const)(
    '[SCP-01 in part] matches what keys of type %s with all their scopes can call',
    async (type) => {
      await settle(ALL_OPEN);
      const { organisationId, workspaceId } = tenant;
      const at = type === 'organisation-service' ? { organisationId } : { organisationId, workspaceId };
      const { id: userId } = await admin.user(organisationId, 'owner');
      const place = type === 'workspace-user' ? { ...at, userId } : at;
      const key = await admin.apiKey(type, place, [...scopesAllowedFor(type)]);
      expect(await unlike({ key }, ({ keyTypes }) => keyTypes.includes(type))).toEqual([]);
    },
    300_000,
  );

  it.each(ROLES)(
    'matches what a session of the role $name can call',
    async ({ name, organisation, workspace }) => {
      await settle(ALL_OPEN);
      const memberships = workspace === null ? {} : { [tenant.workspaceId]: workspace };
      const { email } = await admin.user(tenant.organisationId, organisation, memberships);
      const token = await admin.login(email);
      expect(await unlike({ token }, ({ roles }) => roles.includes(name))).toEqual([]);
    },
    300_000,
  );

  it('matches which security setting closes which route, for sessions and for user keys', async () => {
    const { organisationId, workspaceId } = tenant;
    const open: string[] = [];
    const holders = {
      members: await admin.user(organisationId, 'member', { [workspaceId]: 'member' }),
      managers: await admin.user(organisationId, 'member', { [workspaceId]: 'manager' }),
      organisationAdmins: await admin.user(organisationId, 'admin'),
    };
    const named = SECURITY_SETTINGS.map(({ name }) => name);
    const versioned = onePathEach(operations, 0);
    const bySettings = new Map<string, Operation[]>();
    for (const operation of versioned) {
      const group = operation.settings.join(' ');
      bySettings.set(group, [...(bySettings.get(group) ?? []), operation]);
    }
    for (const [standing, { id: userId, email }] of Object.entries(holders)) {
      const token = await admin.login(email);
      const key = await admin.apiKey('workspace-user', { organisationId, workspaceId, userId });
      const check = (routes: readonly Operation[], closer: string | null): Promise<void> =>
        severalAtATime(routes, async ({ method, path }) => {
          for (const by of [{ token }, { key }]) {
            const { status, body } = await admin.call<Refused>(method, target(path), by);
            const closers = status === 403 ? (body.error?.security_settings ?? []) : [];
            const isRight = closer === null ? closers.length === 0 : closers.includes(closer);
            if (!isRight)
              open.push(`${String(closer)} ${method} ${path}: ${String(status)} ${closers.join()}`);
          }
        });
      for (const { name } of SECURITY_SETTINGS.filter((setting) => setting.settingGroup === standing)) {
        await settle({ ...ALL_OPEN, [name]: false });
        await check(
          versioned.filter(({ settings }) => settings.includes(name)),
          name,
        );
      }
      // With all other settings off, no setting closes a route that still responds.
      for (const routes of bySettings.values()) {
        const own = routes[0]?.settings ?? [];
        await settle(Object.fromEntries(named.map((name) => [name, own.includes(name)])));
        await check(routes, null);
      }
    }
    expect(open).toEqual([]);
  }, 600_000);
});
