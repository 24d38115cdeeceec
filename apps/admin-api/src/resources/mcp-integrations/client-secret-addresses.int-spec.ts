import { TestAdminApi } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

const PATH = '/v1/mcp-integrations';
const ISSUER = 'https://as.example.com';
const OTHER = 'https://other.example.com';
const SECRET = 'configurations.oauth_metadata.client_secret';
const NAMED = 'configurations.oauth_metadata.issuer';

describe('the saved client secret of an integration whose users sign in', () => {
  const api = new TestAdminApi();
  const ours = api.sharedTenant();
  const by = { key: ours.adminKey };

  async function made(more: object): Promise<string> {
    const oauthMetadata = { client_id: 'ours', client_secret: 'secret-of-the-client', ...more };
    const { body, text } = await api.post<{ id?: string }>(PATH, {
      ...by,
      body: {
        ...{ name: 'Issues', url: 'https://mcp.example.com/mcp', auth_type: 'oauth_auto', transport: 'http' },
        configurations: { oauth_metadata: oauthMetadata },
      },
    });
    if (body.id === undefined) throw new Error(text);
    return body.id;
  }
  /** Returns the status and the paths of the refusal. */
  async function put(id: string, oauthMetadata: object, more: object = {}): Promise<unknown[]> {
    const configurations = { oauth_metadata: { client_id: 'ours', ...oauthMetadata } };
    const response = await api.put<Partial<Failure>>(`${PATH}/${id}`, {
      ...{ ...by, body: { configurations, ...more } },
    });
    return [response.status, response.body.error?.details?.map(({ path }) => path)];
  }

  it.each([
    ['changes', { issuer: OTHER }],
    ['is removed', {}],
    ['is cleared', { issuer: null }],
  ])('must be sent again when the issuer %s', async (_what, change) => {
    const id = await made({ issuer: ISSUER });
    expect(await put(id, change)).toEqual([400, [SECRET, NAMED]]);
    expect(await put(id, { ...change, client_secret: '*****' })).toEqual([400, [SECRET, NAMED]]);
    expect(await put(id, { ...change, client_secret: 'sent-again' })).toEqual([200, undefined]);
  });

  it('stays when neither the issuer nor the origin of its server changes', async () => {
    const id = await made({ issuer: ISSUER });
    const url = 'https://mcp.example.com/v2';
    expect(await put(id, { issuer: ISSUER, scope: 'read' }, { url })).toEqual([200, undefined]);
  });

  it('must be sent again without an issuer when the path changes, because each path may name another one', async () => {
    const id = await made({});
    expect(await put(id, {}, { url: 'https://mcp.example.com/mine/mcp' })).toEqual([400, [SECRET, 'url']]);
    expect(await put(id, { issuer: OTHER })).toEqual([400, [SECRET, NAMED]]);
    expect(await put(id, { scope: 'read' })).toEqual([200, undefined]);
  });

  it('is not sent to the issuer of an earlier version', async () => {
    const id = await made({ issuer: OTHER });
    expect(await put(id, { issuer: ISSUER, client_secret: 'of-the-other' })).toEqual([200, undefined]);
    const restored = await api.post<Failure>(`${PATH}/${id}/versions/1/restore`, { ...by, body: {} });
    expect([restored.status, restored.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      [SECRET, NAMED],
    ]);
  });

  it('is not sent to an address that the policy refuses', async () => {
    const id = await made({ issuer: ISSUER });
    expect(await put(id, { issuer: 'https://10.0.0.1', client_secret: 'sent-again' })).toEqual([
      400,
      [NAMED],
    ]);
  });
});
