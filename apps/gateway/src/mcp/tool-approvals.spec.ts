import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import {
  INTERNAL,
  type McpAccessRule,
  type McpApprovalRequest,
  type McpApprovalResponse,
  type McpServerDocument,
} from '@gw/contracts';
import { modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const NOTHING = { id: null, round: 0, expiresAt: null, reason: null };
const PENDING: McpApprovalResponse = { ...NOTHING, outcome: 'pending', id: 'approval-1' };
const APPROVED: McpApprovalResponse = { ...PENDING, outcome: 'approved' };
const ANSWER = { action: 'accept' as const, content: { name: 'Ada', response: 'yes' } };

describe('tool calls that need the approval of a person', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let document: McpServerDocument;
  let controlPlane: Server;
  const requests: McpApprovalRequest[] = [];
  let respond: (request: McpApprovalRequest) => McpApprovalResponse | null = () => PENDING;

  beforeAll(async () => {
    controlPlane = createServer((req, res) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of req) chunks.push(chunk as Buffer);
        const request = JSON.parse(Buffer.concat(chunks).toString()) as McpApprovalRequest;
        if (req.url === INTERNAL.mcpApproval) requests.push(request);
        const response = respond(request);
        res.writeHead(response === null ? 500 : 200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(response ?? {}));
      })();
    });
    await new Promise<void>((resolve) => controlPlane.listen(0, '127.0.0.1', resolve));
    const { port } = controlPlane.address() as AddressInfo;
    gateway = await GatewayHarness.start({ ADMIN_URL: `http://127.0.0.1:${String(port)}` });
    gateway.addKey(gateway.apiKey, { id: 'asking-key', scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture({ era: 'modern' });
    document = await serverDocument(fixture.url, 'tools');
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
    await new Promise((resolve) => controlPlane.close(resolve));
  });
  beforeEach(() => {
    requests.length = 0;
    respond = () => PENDING;
    gateway.addTenant(WORKSPACE_ID, 'main');
    saveRule(['echo', 'test_input_required_result_elicitation']);
  });

  function saveRule(tools: readonly string[], when: McpAccessRule['when'] = []): void {
    const rule = { subject: { type: 'key', id: 'asking-key' }, tools, effect: 'ask', when } as const;
    saveServer(gateway, { ...document, rules: [rule] });
  }
  const url = () => new URL(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`);

  async function call(args: object = { text: 'hi' }, name = 'echo'): Promise<Record<string, unknown>> {
    const params = { name, arguments: args };
    const response = await fetch(url(), modernRequest(gateway.apiKey, 'tools/call', params));
    return (await response.json()) as Record<string, unknown>;
  }
  const callsOf = (tool: string): number => fixture.calls.get(tool) ?? 0;

  it('wait, and are sent once the control plane reports that a person approved them', async () => {
    const before = callsOf('echo');
    expect(await call()).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('approval-1') as string }],
        _meta: { 'gw/error': { type: 'tool_pending', status: 'pending', approval_id: 'approval-1' } },
      },
    });
    expect(callsOf('echo')).toBe(before);
    expect(requests).toMatchObject([
      {
        ...{ serverId: document.id, tool: 'echo', argumentsJson: '{"text":"hi"}', continues: null },
        caller: { userId: null, apiKeyId: 'asking-key', clientId: null, trustId: null },
      },
    ]);
    respond = () => APPROVED;
    expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(callsOf('echo')).toBe(before + 1);
    const [first, second] = requests;
    expect(second?.argumentsDigest).toBe(first?.argumentsDigest);
    expect(second?.principal).toBe(first?.principal);
    const records = (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call').slice(-2);
    expect(records.map(({ decision }) => decision.mcp?.approvalId)).toEqual(['approval-1', 'approval-1']);
    expect(records.map(({ errorType }) => errorType)).toEqual(['tool_pending', null]);
  });

  it('need an approval of their own with other arguments, of other callers and of other tools', async () => {
    gateway.addKey('otherKey00000000000000000000000A', { id: 'other-key', scopes: ['mcp.invoke'] });
    const rules = ['asking-key', 'other-key'].map(
      (id) => ({ subject: { type: 'key', id }, tools: ['*'], effect: 'ask', when: [] }) as const,
    );
    saveServer(gateway, { ...document, rules });
    await call({ text: 'one' });
    await call({ text: 'two' });
    const same = { name: 'echo', arguments: { text: 'one' } };
    await fetch(url(), modernRequest('otherKey00000000000000000000000A', 'tools/call', same));
    const [one, two, theirs] = requests;
    expect(one?.argumentsDigest).not.toBe(two?.argumentsDigest);
    expect(theirs?.argumentsDigest).toBe(one?.argumentsDigest);
    expect(theirs?.principal).not.toBe(one?.principal);
  });

  it('name integers that a double cannot hold by their digits', async () => {
    const params = { name: 'echo', arguments: { id: 0.5 } };
    for (const id of ['9007199254740992', '9007199254740993']) {
      const request = modernRequest(gateway.apiKey, 'tools/call', params);
      await fetch(url(), { ...request, body: request.body.replace('0.5', id) });
    }
    expect(requests.map(({ argumentsJson }) => argumentsJson)).toEqual([
      '{"id":9007199254740992}',
      '{"id":9007199254740993}',
    ]);
    expect(new Set(requests.map(({ argumentsDigest }) => argumentsDigest)).size).toBe(2);
  });

  it('report that a person rejected them, with the reason', async () => {
    respond = () => ({ ...PENDING, outcome: 'rejected', reason: 'Not on a Friday.' });
    const body = await call();
    expect(body).toMatchObject({
      result: { isError: true, _meta: { 'gw/error': { type: 'tool_rejected', reason: 'Not on a Friday.' } } },
    });
    expect(JSON.stringify(body)).toContain('Do not repeat it. Reason: Not on a Friday.');
  });

  it.each([
    ['the control plane fails', null, 'unavailable'],
    ['too many wait', { ...NOTHING, outcome: 'too_many' } as const, 'too_many'],
  ])('are not made while %s', async (_case, response, status) => {
    respond = () => response;
    const before = callsOf('echo');
    expect(await call()).toMatchObject({
      result: { isError: true, _meta: { 'gw/error': { type: 'tool_pending', status } } },
    });
    expect(callsOf('echo')).toBe(before);
  });

  it('need no approval for arguments that a rule allows', async () => {
    saveRule(['echo'], [{ pointer: '/text', op: 'prefix', value: 'prod' }]);
    expect(await call({ text: 'test' })).toMatchObject({ result: { content: [{ text: 'test' }] } });
    expect(requests).toEqual([]);
    await call({ text: 'prod' });
    expect(requests).toHaveLength(1);
  });

  it('show no credentials in arguments, and no arguments in workspaces that keep no bodies', async () => {
    await call({ text: 'Bearer abcdefghijkl', password: 'p', nested: { api_key: 'k' } });
    const shown = { text: '[redacted]', password: '[redacted]', nested: { api_key: '[redacted]' } };
    expect(JSON.parse(requests[0]?.argumentsJson ?? '')).toEqual(shown);
    gateway.addTenant(WORKSPACE_ID, 'main', { logBodies: false });
    await call();
    expect(requests[1]?.argumentsJson).toBeNull();
  });

  it('have at most 64 KiB of arguments, so that a person sees all of them', async () => {
    expect(await call({ text: 'x'.repeat(70_000) })).toMatchObject({
      result: { _meta: { 'gw/error': { type: 'tool_pending', status: 'too_large' } } },
    });
    expect(requests).toEqual([]);
  });

  it('cost nothing while they wait', async () => {
    saveServer(gateway, {
      ...document,
      prices: { default: 1_000, tools: {} },
      rules: [{ subject: { type: 'key', id: 'asking-key' }, tools: ['echo'], effect: 'ask', when: [] }],
    });
    await call();
    expect((await gateway.records()).at(-1)?.cost ?? 0).toBe(0);
    respond = () => APPROVED;
    await call();
    expect((await gateway.records()).at(-1)?.cost).toBe(1_000);
  });

  it('use one approval for all rounds of input, and each round once', async () => {
    const rounds: (McpApprovalRequest['continues'] | undefined)[] = [];
    respond = ({ continues }) => {
      rounds.push(continues);
      return { ...APPROVED, round: continues === null ? 0 : continues.round + 1 };
    };
    const client = new ModernClient(
      { name: 'spec', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', () => ANSWER);
    const options = { requestInit: { headers: { 'x-gw-api-key': gateway.apiKey } } };
    await client.connect(new ModernTransport(url(), options));
    const result = await client.callTool({ name: 'test_input_required_result_elicitation', arguments: {} });
    expect(JSON.stringify(result)).toContain('Ada');
    expect(rounds).toEqual([null, { id: 'approval-1', round: 0 }]);
    await client.close();
  });
});
