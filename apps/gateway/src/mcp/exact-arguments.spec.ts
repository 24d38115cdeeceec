import { eventually, modernRequest } from '@gw/testing';
import type { McpServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';
import { member, saveToolset } from './spec-support/aggregate';
import { HandWrittenServer } from './spec-support/hand-written-server';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';
import { EventReader } from './spec-support/read-events';

const BIG = '12345678901234567890';

describe('numbers of arguments that a double cannot hold', () => {
  const server = new HandWrittenServer();
  let gateway: GatewayHarness;
  let document: McpServerDocument;
  beforeAll(async () => {
    await server.start();
    gateway = await GatewayHarness.start({ MCP_LEGACY_SSE: 'on' });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    document = await serverDocument(server.url, 'tools');
    saveServer(gateway, document);
    server.result = '{"content":[]}';
  });
  afterAll(async () => {
    await gateway.stop();
    await server.stop();
  });
  beforeEach(() => {
    server.received = '';
  });

  const origin = () => `http://127.0.0.1:${String(gateway.port)}`;
  /** Writes a message with `BIG` in place of 0.5, which `JSON.stringify` could not write. */
  const written = (message: unknown): string => JSON.stringify(message).replaceAll('0.5', BIG);
  const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  async function modernCall(address: string, params: { name: string; arguments: object }): Promise<string> {
    const request = modernRequest(gateway.apiKey, 'tools/call', params);
    const response = await fetch(`${origin()}/main/${address}/mcp`, {
      ...request,
      body: written(JSON.parse(request.body)),
    });
    return response.text();
  }

  it('reach the server from a batch', async () => {
    const { id } = await RawSession.open(origin(), gateway.apiKey, { revision: '2025-03-26' });
    const response = await fetch(`${origin()}/main/tools/mcp`, {
      ...{ method: 'POST', headers: { ...HEADERS, 'x-gw-api-key': gateway.apiKey, 'mcp-session-id': id } },
      body: written([{ ...CALL, params: { name: 'tool', arguments: { n: 0.5 } } }]),
    });
    expect(response.status).toBe(200);
    expect(server.received).toContain(`{"n":${BIG}}`);
  });

  it('reach the server over HTTP+SSE', async () => {
    const headers = { 'x-gw-api-key': gateway.apiKey };
    const events = await EventReader.open(`${origin()}/main/tools/sse`, {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    await events.until('event: endpoint');
    const path = /data: (\S+)/.exec(events.text)?.[1] ?? '';
    await fetch(`${origin()}${path}`, {
      ...{ method: 'POST', headers: { ...HEADERS, ...headers } },
      body: written({ ...CALL, params: { name: 'tool', arguments: { n: 0.5 } } }),
    });
    await eventually(() => server.received.includes('tools/call'));
    expect(server.received).toContain(`{"n":${BIG}}`);
    events.leave();
  });

  it('reach the server of a toolset that fixes other arguments, which keep their values', async () => {
    const fixed = Number(BIG);
    const overrides = { tool: { fixedArguments: { fixed }, hiddenArguments: ['hidden'] } };
    saveToolset(gateway, { slug: 'desk', members: [member(document, { prefix: '', overrides })] });
    await modernCall('desk', { name: 'tool', arguments: { n: 0.5, hidden: 1 } });
    expect(server.received).toContain(`{"n":${BIG},"fixed":${String(fixed)}}`);
  });

  it('reach the server through call_tool', async () => {
    saveToolset(gateway, { slug: 'finder', mode: 'search', members: [member(document, { prefix: '' })] });
    await modernCall('finder', {
      ...{ name: 'call_tool', arguments: { name: 'tool', arguments: { n: 0.5 } } },
    });
    expect(server.received).toContain(`{"n":${BIG}}`);
  });

  it('reach the server with the input of a user, which the log does not store', async () => {
    const params = { name: 'tool', arguments: { n: 0.5 }, inputResponses: { ask: { action: 'decline' } } };
    const request = modernRequest(gateway.apiKey, 'tools/call', params);
    // A double can hold it, but not how it is written.
    const body = request.body.replace('0.5', '1.0');
    await (await fetch(`${origin()}/main/tools/mcp`, { ...request, body })).text();
    expect(server.received).toContain('{"n":1.0}');
  });

  it('reach the server after a guardrail has changed other arguments', async () => {
    const checks = [{ id: 'default.regexReplace', parameters: { rule: 'secret', redactText: '***' } }];
    gateway.addGuardrail('mask', checks, {}, { target: 'mcp_tools' });
    saveServer(gateway, {
      ...document,
      guardrails: [{ guardrailId: 'guardrail-mask', runOn: ['beforeToolCall'], capabilityIds: [] }],
    });
    await modernCall('tools', { name: 'tool', arguments: { n: 0.5, text: 'a secret' } });
    saveServer(gateway, document);
    expect(server.received).toContain(`{"n":${BIG},"text":"a ***"}`);
  });
});
