import { SCOPES } from '@gw/auth-scopes';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TestAdminApi, type Tenant } from '../spec-support/admin-api';
import { routeRules } from './route-rules';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly scopes: readonly string[];
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Record<string, unknown>>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      access: String(operation['x-gw-access']),
      scopes: (operation['x-gw-scopes'] ?? []) as string[],
    })),
  );
}

const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';
const withIds = (path: string): string => path.replaceAll(/\{[^}]+\}/g, UNKNOWN_ID);

describe('every live route', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  let operations: Operation[];

  beforeAll(async () => {
    tenant = await admin.tenant();
    operations = operationsOf(admin.api.document);
  });

  it('declares who may call it, and is in the document unless it is internal or a page', () => {
    const rules = routeRules(admin.api.app);
    expect(rules.filter(({ rule }) => rule === undefined)).toEqual([]);
    const documented = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const { routeTable } = admin.api.app.getHttpAdapter().getInstance();
    // HEAD is GET without its body, by the same handler behind the same guard.
    const missing = (routeTable?.all() ?? [])
      .filter(([method]) => method !== 'HEAD')
      .map(([method, pattern]) => `${method} ${pattern.replaceAll(/:([^/]+)/g, '{$1}')}`)
      .filter((route) => !documented.has(route))
      .filter((route) => !/ \/(?:internal\/|docs|openapi|$|v[12]\/batches\/)/.test(route));
    expect(missing).toEqual([]);
    expect(operations.length).toBeGreaterThan(60);
  });

  it('asks for scopes of the catalogue alone', () => {
    const named = operations.flatMap(({ scopes }) => scopes);
    expect(named.filter((scope) => !SCOPES.includes(scope))).toEqual([]);
    const open = operations.filter(({ access }) => !['scopes', 'public', 'session'].includes(access));
    expect(open).toEqual([]);
    expect(operations.filter(({ access, scopes }) => access === 'scopes' && scopes.length === 0)).toEqual([]);
  });

  it('answers 401 without a credential, unless it is public', async () => {
    const open: string[] = [];
    for (const { method, path, access } of operations) {
      if (access === 'public') continue;
      const { status, body } = await admin.call<{ error?: { code?: string } }>(method, withIds(path));
      if (status !== 401 || body.error?.code !== 'AB05') open.push(`${method} ${path}: ${String(status)}`);
    }
    expect(open).toEqual([]);
  });

  it('answers 403 to a key that holds every scope but the ones it asks for', async () => {
    const open: string[] = [];
    const { organisationId } = tenant;
    for (const { method, path, access, scopes } of operations) {
      if (access !== 'scopes') continue;
      const others = SCOPES.filter((scope) => !scopes.includes(scope));
      const key = await admin.apiKey('organisation-service', { organisationId }, others);
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
  }, 60_000);

  it('lets a key with one of its scopes past the guard', async () => {
    const shut: string[] = [];
    const { organisationId } = tenant;
    for (const { method, path, access, scopes } of operations) {
      if (access !== 'scopes') continue;
      for (const scope of scopes) {
        const key = await admin.apiKey('organisation-service', { organisationId }, [scope]);
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
  }, 60_000);

  it('[CTL-14] refuses an API key where a session is asked for', async () => {
    const sessionOnly = operations.filter(({ access }) => access === 'session');
    expect(sessionOnly.map(({ path }) => path)).toContain('/v1/auth/self');
    for (const { method, path } of sessionOnly) {
      for (const key of [tenant.adminKey, tenant.key]) {
        expect((await admin.call(method, path, { key })).status).toBe(401);
      }
    }
  });

  it('refuses internal routes without the service token', async () => {
    const call = { body: { keys: [] } };
    expect((await admin.post('/internal/v1/documents', call)).status).toBe(401);
    expect((await admin.post('/internal/v1/documents', { ...call, key: tenant.adminKey })).status).toBe(401);
    expect((await admin.post('/internal/v1/documents', { ...call, token: 'x'.repeat(40) })).status).toBe(401);
  });
});
