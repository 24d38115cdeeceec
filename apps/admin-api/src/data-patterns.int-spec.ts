import { CATASTROPHIC, expressionsMadeBy, madeOfPatterns, withPatterns } from '@gw/testing';
import fc from 'fast-check';
import { TestAdminApi } from './spec-support/admin-api';
import { callableOperationsOf, type CallableOperation } from './spec-support/generated-calls';
import { valuesOf, type Schemas } from './spec-support/generated-values';

/**
 * Number of bodies for each operation. They are valid by the OpenAPI document until a pattern is
 * inserted.
 */
const BODIES = 2;
const SEED = 20_261_124;

describe('requests with a catastrophic regular expression at every position', () => {
  const admin = new TestAdminApi();
  const tenant = admin.sharedTenant();

  const bodiesOf = ({ body }: CallableOperation): readonly object[] => {
    if (!body) return [];
    const schemas = (admin.api.document.components?.schemas ?? {}) as Schemas;
    const named = { workspace_id: tenant.workspaceId };
    const values = fc.sample(valuesOf(body, schemas, { percent: 0, known: [], named }), {
      seed: SEED,
      numRuns: BODIES,
    });
    return values
      .filter((value): value is object => typeof value === 'object' && value !== null)
      .flatMap((value) => withPatterns(value, { isDeep: false }));
  };

  it('are never compiled by the backtracking engine, whether the pattern is in a body, a query or a path', async () => {
    const statuses: Record<number, number> = {};
    const made = await expressionsMadeBy(async () => {
      for (const operation of callableOperationsOf(admin)) {
        const { method, path, parameters } = operation;
        // Deletions store no pattern, and an alias has the same handler as its path.
        if (method === 'DELETE' || path.startsWith('/v1/admin/')) continue;
        const at = path.replaceAll(/\{[^}]+\}/g, tenant.workspaceId);
        const calls = [
          ...bodiesOf(operation).map((body) => ({ url: at, body })),
          ...parameters
            .filter((parameter) => parameter.in === 'query')
            .map(({ name }) => ({ url: `${at}?${name}=${encodeURIComponent(CATASTROPHIC)}` })),
          ...(path.includes('{')
            ? [{ url: path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(CATASTROPHIC)) }]
            : []),
        ];
        for (const { url, ...rest } of calls) {
          const { status } = await admin.call(method, url, { key: tenant.adminKey, ...rest });
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }
    });
    expect(madeOfPatterns(made)).toEqual([]);
    // Enough calls succeeded to exercise the database.
    expect(statuses[200]).toBeGreaterThan(60);
  }, 300_000);
});
