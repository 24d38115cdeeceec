import type { TestAdminApi, Tenant } from './admin-api';
import { connectionFields, samlMetadata } from './sso-connections';
import { trustFields } from './trusts';

interface Parts {
  readonly admin: TestAdminApi;
  readonly ours: Tenant;
  /** Makes a call whose response must match the document. */
  readonly step: (
    method: string,
    url: string,
    body?: object,
    by?: object,
  ) => Promise<{ readonly id: string }>;
}

/**
 * Checks the responses of single sign-on, trusts, domains and SCIM against the document. Call it in
 * a `describe`.
 */
export function checkIdentityResponses({ admin, ours, step }: Parts): void {
  it('of SSO connections match the document', async () => {
    const own = { key: ours.adminKey };
    const path = '/v1/admin/organisation/sso-connections';
    const { id } = await step('POST', path, connectionFields('responses'), own);
    for (const url of [path, `${path}/${id}`]) await step('GET', url, undefined, own);
    await step('PUT', `${path}/${id}`, { auto_provision: false }, own);
    await step('POST', `${path}/${id}/groups/preview`, { groups: ['x'] }, own);
    await step('GET', `${path}/${id}/sp`, undefined, own);
    await step('POST', `${path}/${id}/metadata`, { metadata_xml: samlMetadata() }, own);
    await step('DELETE', `${path}/${id}`, undefined, own);
  });

  it('of the settings of logins match the document', async () => {
    const own = { key: ours.adminKey };
    const url = '/v1/admin/organisation/auth-settings';
    await step('GET', url, undefined, own);
    await step('PUT', url, { sso_type: 'no-auth' }, own);
  });

  it('of trusts match the document', async () => {
    const own = { key: ours.adminKey };
    const { id } = await step('POST', '/v1/trusts', trustFields('responses'), own);
    await step('GET', '/v1/trusts', undefined, own);
    await step('GET', '/v1/trusts/presets', undefined, own);
    await step('GET', `/v1/trusts/${id}`, undefined, own);
    await step('PUT', `/v1/trusts/${id}`, { max_ttl: 600 }, own);
    await step('POST', `/v1/trusts/${id}/test`, { token: 'x' }, own);
    await step('DELETE', `/v1/trusts/${id}`, undefined, own);
  });

  it('of domains match the document', async () => {
    const own = { key: ours.adminKey };
    const { id } = await step('POST', '/v1/admin/organisation/domains', { domain: 'acme.example' }, own);
    const url = `/v1/admin/organisation/domains/${id}`;
    await step('GET', '/v1/admin/organisation/domains', undefined, own);
    await step('GET', url, undefined, own);
    await step('PUT', url, { allow_subdomains: true }, own);
    await step('DELETE', url, undefined, own);
  });

  it('of OAuth clients match the document', async () => {
    const own = { key: ours.adminKey };
    const fields = {
      ...{ name: 'Portal', redirect_uris: ['https://portal.example.com/cb'] },
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const { id } = await step('POST', '/v1/admin/organisation/oauth-clients', fields, own);
    const url = `/v1/admin/organisation/oauth-clients/${id}`;
    await step('GET', '/v1/admin/organisation/oauth-clients', undefined, own);
    await step('GET', url, undefined, own);
    await step('PUT', url, { name: 'Portal 2' }, own);
    await step('POST', `${url}/rotate`, undefined, own);
    await step('DELETE', url, undefined, own);
  });

  it('of SCIM and the discovery of logins match the document', async () => {
    const own = { key: ours.adminKey };
    await step('GET', '/v1/auth/sso/discover?email=ann@example.org', undefined, {});
    await step('GET', '/v1/admin/organisation/oauth-grants', undefined, own);
    await step('POST', '/v1/admin/organisation/scim-token', undefined, own);
    await step('GET', '/v1/admin/organisation/scim-token', undefined, own);
    const body = { workspace_id: ours.workspaceId, role: 'Member', scim_group_name: 'Engineering' };
    const made = await admin.post<{ id: string }>('/v1/scim/workspaces', { ...own, body });
    expect(made.status).toBe(201);
    await step('GET', '/v1/scim/workspaces', undefined, own);
    await step('GET', '/v1/scim/groups', undefined, own);
    await step('DELETE', `/v1/scim/workspaces/${made.body.id}`, undefined, own);
    await step('POST', '/v1/scim/dry-run', { method: 'GET', path: '/Users' }, own);
    await step('GET', '/v1/scim/exchanges', undefined, own);
    await step('DELETE', '/v1/admin/organisation/scim-token', undefined, own);
  });
}
