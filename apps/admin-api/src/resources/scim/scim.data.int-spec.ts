import { readCases } from '@gw/testing';
import { TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider, type ScimResponse } from './spec-support/identity-provider';

interface ScimCase {
  readonly id: string;
  readonly reason: string;
  readonly expect: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly auth?: string;
    readonly content_type?: string;
  };
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const { cases } = readCases('scim.json') as { readonly cases: readonly ScimCase[] };

describe('SCIM requests with known verdicts', () => {
  const api = new TestAdminApi();
  const foreign = api.sharedTenant();

  async function sent({
    request,
  }: ScimCase): Promise<{ response: ScimResponse; after: () => Promise<ScimResponse> }> {
    const abroad = await IdentityProvider.of(api, foreign, 'foreign.example');
    const stranger = await abroad.user(
      `${request.path.length.toString()}-${Math.random().toString(36)}@foreign.example`,
    );
    const provider = await IdentityProvider.of(api, await api.tenant());
    const text = JSON.stringify(request);
    const user = await provider.user('first@example.org');
    const group = await provider.group(
      'Admins',
      text.includes('remove') || text.includes('"value": []') ? [user] : [],
    );
    const target = request.path.startsWith('/Groups') ? group : user;
    const { path, body } = JSON.parse(
      text
        .replaceAll('{id}', target)
        .replaceAll('<USER>', user)
        .replaceAll('<ADMIN_GROUP>', group)
        .replaceAll('<USER_OF_OTHER_ORG>', stranger),
    ) as ScimCase['request'];
    const key = request.auth === 'data-plane key' ? { authorization: `Bearer ${provider.tenant.key}` } : {};
    const fallback =
      request.method === 'POST' && path === '/Users'
        ? { schemas: [USER], userName: 'n@example.org' }
        : undefined;
    const response = await provider.call({
      method: request.method,
      path,
      ...(request.query === undefined ? {} : { query: request.query }),
      body: body ?? fallback,
      headers: {
        ...(request.content_type === undefined ? {} : { 'content-type': request.content_type }),
        ...(request.auth === 'none' ? { authorization: '' } : key),
      },
    });
    return { response, after: () => provider.call({ method: 'GET', path: `/Users/${user}` }) };
  }

  it.each(cases.map((each) => [each.id, each.reason, each] as const))('%s %s', async (_id, reason, each) => {
    const { response, after } = await sent(each);
    const { status, body } = response;
    expect(status).toBeLessThan(each.request.path === '/Bulk' ? 502 : 500);
    if (each.expect === 'accept') expect([status, body['detail']]).toEqual([expect.any(Number), undefined]);
    else if (each.expect === 'reject') expect([400, 409, 413]).toContain(status);
    else if (each.expect !== 'either') expect(status).toBe(Number(each.expect));
    if (status >= 400) {
      expect(body).toMatchObject({ status: String(status), detail: expect.any(String) as unknown });
      expect(response.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    }
    expect(JSON.stringify(body)).not.toContain('"password":');
    if (reason.startsWith('atomic')) expect((await after()).body['active']).toBe(true);
  });
});
