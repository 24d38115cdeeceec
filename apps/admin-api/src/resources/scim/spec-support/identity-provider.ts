import { OrganisationDomainEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import type { GatewayResponse, Tenant, TestAdminApi } from '../../../spec-support/admin-api';

export interface ScimCall {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface ScimResponse {
  readonly status: number;
  readonly headers: GatewayResponse['headers'];
  /** Body of the response; `{}` when it has none. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** An identity provider of an organisation that has verified the domain example.org. */
export class IdentityProvider {
  private constructor(
    private readonly api: TestAdminApi,
    readonly tenant: Tenant,
    readonly token: string,
  ) {}

  static async of(api: TestAdminApi, tenant: Tenant, domain = 'example.org'): Promise<IdentityProvider> {
    const { organisationId } = tenant;
    // Only one organisation can have a domain verified, so a tenant of the same test takes it over.
    await api.dataSource.manager.delete(OrganisationDomainEntity, { domain });
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      id: uuidv7(),
      organisationId,
      domain,
      token: 'proof',
      verifiedAt: new Date(),
    });
    const { body } = await api.post<{ token: string }>('/v1/admin/organisation/scim-token', {
      key: tenant.adminKey,
    });
    return new IdentityProvider(api, tenant, body.token);
  }

  async call({ method, path, query, body, headers }: ScimCall): Promise<ScimResponse> {
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    const response = await this.api.api.app.inject({
      method: method as 'GET',
      url: `/v1/scim${path}${search}`,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const parsed: unknown = response.payload === '' ? {} : JSON.parse(response.payload);
    return { status: response.statusCode, headers: response.headers, body: parsed as ScimResponse['body'] };
  }

  /** Creates a user and returns its id. */
  async user(userName: string, more: object = {}): Promise<string> {
    const created = await this.call({
      method: 'POST',
      path: '/Users',
      body: { schemas: [USER], userName, active: true, ...more },
    });
    return idIn(created);
  }

  /** Creates a group and returns its id. */
  async group(displayName: string, members: readonly string[] = []): Promise<string> {
    const body = { schemas: [GROUP], displayName, members: members.map((value) => ({ value })) };
    return idIn(await this.call({ method: 'POST', path: '/Groups', body }));
  }

  patch(path: string, ...operations: object[]): Promise<ScimResponse> {
    return this.call({ method: 'PATCH', path, body: { schemas: [PATCH], Operations: operations } });
  }

  setActive(id: string, value: boolean): Promise<ScimResponse> {
    return this.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
  }

  /** Returns the ids of the members of a group. */
  async members(id: string): Promise<string[]> {
    const { body } = await this.call({ method: 'GET', path: `/Groups/${id}` });
    return ((body['members'] ?? []) as { value: string }[]).map(({ value }) => value);
  }
}

function idIn({ status, body }: ScimResponse): string {
  if (status === 201) return String(body['id']);
  throw new Error(`The creation gave ${String(status)}: ${JSON.stringify(body)}.`);
}
