import { documentKey, type WorkspaceDocument } from '@gw/contracts';
import { readCases } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Exclusions {
  readonly workspaces: { workspace_id: string; excluded: boolean }[];
}

const admin = new TestAdminApi();
const tenant = admin.sharedTenant();
const other = admin.sharedTenant();
const url = (direction: string): string => `/v1/workspace-exclusions/${direction}-guardrails`;
const put = (
  body: object,
  direction = 'input',
  key = tenant.adminKey,
): Promise<GatewayResponse<Exclusions & Failure>> => admin.put(url(direction), { key, body });
const excluded = async (direction = 'input'): Promise<string[]> => {
  const { body } = await admin.get<Exclusions>(url(direction), { key: tenant.adminKey });
  return body.workspaces.filter((one) => one.excluded).map((one) => one.workspace_id);
};

describe('[CTL-01] [REL-05] workspace exclusions', () => {
  it('are merged into the existing ones or replace them, separately for each direction', async () => {
    const second = await admin.workspace(tenant.organisationId, { slug: 'second-one' });
    const first = tenant.workspaceId;
    const response = await put({ workspaces: [{ workspace_id: first, excluded: true }] });
    expect(response.body.workspaces).toEqual([
      { workspace_id: first, excluded: true },
      { workspace_id: second, excluded: false },
    ]);
    await put({ workspaces: [{ workspace_id: 'second-one', excluded: true }] });
    expect(await excluded()).toEqual([first, second]);
    expect(await excluded('output')).toEqual([]);
    await put({ workspaces: [{ workspace_id: second, excluded: true }], override_existing: true });
    expect(await excluded()).toEqual([second]);
    await put({ workspaces: [{ workspace_id: second, excluded: false }] });
    expect(await excluded()).toEqual([]);
    await put({ workspaces: [{ workspace_id: first, excluded: true }] });
    await put({ workspaces: [], override_existing: true });
    expect(await excluded()).toEqual([]);
  });

  it('are part of the workspace document that gateways read', async () => {
    await put({ workspaces: [{ workspace_id: tenant.workspaceId, excluded: true }] }, 'output');
    const key = documentKey.workspace(tenant.workspaceId);
    const response = await admin.post<{ documents: Record<string, WorkspaceDocument> }>(
      '/internal/v1/documents',
      {
        token: SERVICE_TOKEN,
        body: { keys: [key] },
      },
    );
    expect(response.body.documents[key]?.guardrailExclusions).toEqual(['output']);
  });

  it('are applied all or none, within the organisation, and only by administrators', async () => {
    const before = await excluded();
    const foreign = await put({
      workspaces: [
        { workspace_id: tenant.workspaceId, excluded: true },
        { workspace_id: other.workspaceId, excluded: true },
      ],
    });
    expect([foreign.status, foreign.body.error?.param]).toEqual([400, 'workspaces.1.workspace_id']);
    expect(await excluded()).toEqual(before);
    expect((await put({ workspaces: [], organisation_id: other.organisationId })).status).toBe(400);
    expect((await put({ workspaces: [] }, 'input', tenant.key)).status).toBe(403);
    const weak = await admin.apiKey('organisation-service', { organisationId: tenant.organisationId }, [
      'organisation_exclusions.list',
    ]);
    expect((await put({ workspaces: [] }, 'input', weak)).status).toBe(403);
    expect((await admin.get(url('input'), { key: weak })).status).toBe(200);
  });

  interface Row {
    readonly id: string;
    readonly endpoint: string;
    readonly body: { readonly workspaces: readonly string[]; readonly override_existing?: boolean };
    readonly expect: 'accept' | 'reject' | 'either';
    readonly reason: string;
  }
  const { cases } = readCases('policies.json') as { readonly cases: readonly Row[] };
  const rows = cases.filter(({ endpoint }) => endpoint.startsWith('PUT /v1/workspace-exclusions/'));

  it.each(rows)('$id: $expect $reason', async ({ endpoint, body, expect: verdict }) => {
    // The items list workspaces; each exclusion is a separate object.
    const ids = { w1: tenant.workspaceId, '<OTHER_ORG>': other.workspaceId } as Record<string, string>;
    const workspaces = body.workspaces.map((name) => ({ workspace_id: ids[name], excluded: true }));
    const direction = endpoint.endsWith('output-guardrails') ? 'output' : 'input';
    const { status } = await put({ ...body, workspaces }, direction);
    if (verdict === 'accept') expect(status).toBe(200);
    else if (verdict === 'reject') expect(status).toBe(400);
    else expect(status).toBeLessThan(500);
  });
});
