import { documentKey, type McpAccessRule, type McpServerDocument, type UserDocument } from '@gw/contracts';
import { eventually, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, OTHER_WORKSPACE_ID, WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const USER = '0a000000-0000-4000-8000-0000000000aa';
const GROUP = '0a000000-0000-4000-8000-0000000000cc';
const SERVICE_KEY = 'serviceKey000000000000000000000B';

describe('access rules for groups and roles of users', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let document: McpServerDocument;
  let version = 0;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { type: 'workspace-user', userId: USER, scopes: ['mcp.invoke'] });
    gateway.addKey(SERVICE_KEY, { scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    document = await serverDocument(fixture.url, 'tools');
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const rule = (
    type: McpAccessRule['subject']['type'],
    id: string,
    effect: McpAccessRule['effect'],
  ): McpAccessRule => ({ subject: { type, id }, tools: ['echo'], effect, when: [] });
  const save = (rules: readonly McpAccessRule[], defaultEffect: 'allow' | 'deny' = 'deny'): void =>
    saveServer(gateway, { ...document, rules, defaultEffect });
  function become(more: Partial<UserDocument>): void {
    version += 1;
    gateway.documents.set(documentKey.user(ORGANISATION_ID, USER), {
      ...{ kind: 'user', version: String(version), userId: USER, organisationId: ORGANISATION_ID },
      ...{ organisationRole: 'member', workspaceRoles: {}, groups: [], ...more },
    });
  }
  const url = () => `http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`;
  async function isAllowed(apiKey = gateway.apiKey): Promise<boolean> {
    const echo = { name: 'echo', arguments: { text: 'hi' } };
    const response = await fetch(url(), modernRequest(apiKey, 'tools/call', echo));
    const body = (await response.json()) as { result?: object; error?: object };
    if (body.error !== undefined) expect(body.error).toMatchObject({ message: 'Unknown tool: echo' });
    return body.result !== undefined;
  }

  it('let members of a group call, but not after they left it', async () => {
    save([rule('group', GROUP, 'allow')]);
    become({});
    expect(await isAllowed()).toBe(false);
    become({ groups: [GROUP, 'sso:engineering'] });
    expect(await isAllowed()).toBe(true);
    become({ groups: ['sso:engineering'] });
    expect(await isAllowed()).toBe(false);
    save([rule('group', 'sso:engineering', 'allow')]);
    expect(await isAllowed()).toBe(true);
  });

  it('deny members of a group what others may call', async () => {
    save([rule('group', GROUP, 'deny')], 'allow');
    become({});
    expect(await isAllowed()).toBe(true);
    become({ groups: [GROUP] });
    expect(await isAllowed()).toBe(false);
  });

  it.each<[string, Partial<UserDocument>, boolean]>([
    ['manager', { workspaceRoles: { [WORKSPACE_ID]: 'manager' } }, true],
    ['manager', { workspaceRoles: { [WORKSPACE_ID]: 'member' } }, false],
    ['manager', { workspaceRoles: { [OTHER_WORKSPACE_ID]: 'manager' } }, false],
    ['organisation_admin', { organisationRole: 'admin' }, true],
    ['admin', { organisationRole: 'admin' }, false],
  ])('decide for the role %s about a user who has %j', async (role, user, allowed) => {
    save([rule('role', role, 'allow')]);
    become(user);
    expect(await isAllowed()).toBe(allowed);
  });

  it('match neither keys without a user nor users who are no longer active', async () => {
    save([rule('group', GROUP, 'allow')]);
    become({ groups: [GROUP] });
    expect(await isAllowed(SERVICE_KEY)).toBe(false);
    gateway.documents.remove(documentKey.user(ORGANISATION_ID, USER));
    expect(await isAllowed()).toBe(false);
  });

  it('hide a denied or withheld resource also from callers who may read its template', async () => {
    const uriOf = (id: string): string => `test://template/${id}/data`;
    const denied = { id: 'r1', type: 'resource' as const, name: uriOf('denied'), definition: {} };
    saveServer(gateway, {
      ...document,
      capabilities: [...document.capabilities, denied],
      withheldResources: [uriOf('withheld')],
      rules: [{ ...rule('user', USER, 'deny'), tools: [denied.name] }],
    });
    become({});
    const read = async (uri: string): Promise<unknown> => {
      const response = await fetch(url(), modernRequest(gateway.apiKey, 'resources/read', { uri }));
      return Object.keys((await response.json()) as object).filter((member) =>
        /^(result|error)$/.test(member),
      );
    };
    const aliases = ['denied', 'withheld', 'with%68eld', '%64enied', 'Denied', 'with%2568eld'];
    for (const id of aliases) expect([id, await read(uriOf(id))]).toEqual([id, ['error']]);
    expect(await read(`TEST${uriOf('withheld').slice(4)}`)).toEqual(['error']);
    expect(await read(uriOf('any'))).toEqual(['result']);
  });

  it('notify open streams when a new group changes what the user sees', async () => {
    save([rule('group', GROUP, 'allow')]);
    become({});
    const leaving = new AbortController();
    const filter = { notifications: { toolsListChanged: true } };
    const stream = await fetch(url(), {
      ...modernRequest(gateway.apiKey, 'subscriptions/listen', filter),
      signal: leaving.signal,
    });
    const reader = stream.body?.getReader();
    become({ groups: [GROUP] });
    let seen = '';
    await eventually(async () => {
      seen += Buffer.from((await reader?.read())?.value ?? []).toString('utf8');
      return seen.includes('notifications/tools/list_changed');
    });
    leaving.abort();
  });
});
