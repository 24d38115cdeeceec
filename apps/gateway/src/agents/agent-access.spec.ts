import { randomUUID } from 'node:crypto';
import {
  documentKey,
  type AgentAccessRule,
  type AgentServerDocument,
  type UserDocument,
} from '@gw/contracts';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';

const USER = 'user-1';
const GROUP = 'group-1';
const SERVICE_KEY = 'serviceKey0000000000000000000AB1';
const scopes = ['agents.invoke'];

describe('group and role rules of agents', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  let document: AgentServerDocument;
  let version = 0;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { userId: USER, scopes });
    gateway.addKey(SERVICE_KEY, { scopes });
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const rule = (
    type: AgentAccessRule['subject']['type'],
    id: string,
    effect: AgentAccessRule['effect'],
  ): AgentAccessRule => ({ subject: { type, id }, skills: ['*'], effect });
  const save = (rules: readonly AgentAccessRule[], defaultEffect: 'allow' | 'deny' = 'deny'): void =>
    saveAgent(gateway, { ...document, rules, defaultEffect });
  function become(more: Partial<UserDocument>): void {
    version += 1;
    gateway.documents.set(documentKey.user(ORGANISATION_ID, USER), {
      ...{ kind: 'user', version: String(version), userId: USER, organisationId: ORGANISATION_ID },
      ...{ organisationRole: 'member', workspaceRoles: {}, groups: [], ...more },
    });
  }
  async function statusOf(apiKey = gateway.apiKey): Promise<number> {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say hi' }] };
    const { status } = await fetch(`http://127.0.0.1:${String(gateway.port)}/v1/agent/helper`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    return status;
  }

  it('let members of a group call, but not after they left it', async () => {
    save([rule('group', GROUP, 'allow')]);
    become({});
    expect(await statusOf()).toBe(404);
    become({ groups: [GROUP] });
    expect(await statusOf()).toBe(200);
    become({});
    expect(await statusOf()).toBe(404);
  });

  it('deny callers by their workspace role, which service keys do not have', async () => {
    save([rule('role', 'member', 'deny')], 'allow');
    become({ workspaceRoles: { [WORKSPACE_ID]: 'member' } });
    expect(await statusOf()).toBe(404);
    expect(await statusOf(SERVICE_KEY)).toBe(200);
    save([rule('role', 'manager', 'allow')]);
    expect(await statusOf()).toBe(404);
    become({ workspaceRoles: { [WORKSPACE_ID]: 'manager' } });
    expect(await statusOf()).toBe(200);
    expect(await statusOf(SERVICE_KEY)).toBe(404);
  });

  it('load the user only if a rule needs it', async () => {
    gateway.documents.remove(documentKey.user(ORGANISATION_ID, USER));
    save([rule('user', USER, 'allow')]);
    expect(await statusOf()).toBe(200);
  });

  it('do not admit an OAuth token to another agent that took over the slug of its own', async () => {
    const token = `pat_${'t'.repeat(43)}`;
    const saveToken = (targetId: string): void => {
      const key = documentKey.accessToken(accessTokenHash(oauthPepper(gateway.master), token) ?? '');
      gateway.documents.set(key, {
        ...{ kind: 'access_token', version: targetId, grantId: 'grant', userId: USER, scopes, targetId },
        ...{ clientId: 'gw_client', clientName: 'Editor', resourcePath: '/v1/agent/helper' },
        ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      });
    };
    save([], 'allow');
    saveToken(document.id);
    expect(await statusOf(token)).toBe(200);
    saveAgent(gateway, { ...document, id: randomUUID() });
    expect([await statusOf(token), await statusOf()]).toEqual([401, 200]);
    saveToken(WORKSPACE_ID);
    expect(await statusOf(token)).toBe(401);
  });
});
