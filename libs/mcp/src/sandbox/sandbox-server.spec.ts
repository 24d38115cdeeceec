import { META } from '../protocol';
import { SANDBOX_MCP_TOOLS, sandboxMcpResponse, type SandboxResponse } from './sandbox-server';

const REVISION = '2026-07-28';
const NOW = new Date(Date.UTC(2026, 10, 1));

function sent(method: string, params: object, capabilities: object = {}): SandboxResponse {
  const _meta = { [META.version]: REVISION, [META.capabilities]: capabilities };
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return sandboxMcpResponse({
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': REVISION, 'mcp-method': method, ...name },
    },
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } })),
    now: NOW,
  });
}
const called = (name: string, args: unknown, more: object = {}, capabilities: object = {}): unknown =>
  JSON.parse(sent('tools/call', { name, arguments: args, ...more }, capabilities).body ?? 'null');

describe('sandboxMcpResponse', () => {
  it('describes itself and lists its tools', () => {
    expect(JSON.parse(sent('server/discover', {}).body ?? '')).toMatchObject({
      result: { resultType: 'complete', capabilities: { tools: {} } },
    });
    expect(JSON.parse(sent('tools/list', {}).body ?? '')).toMatchObject({
      result: { tools: SANDBOX_MCP_TOOLS, resultType: 'complete', cacheScope: 'private' },
    });
  });

  it.each([
    ['add', { a: 1, b: '2' }],
    ['add', { a: 1e308, b: 1e308 }],
    ['add', {}],
    ['echo', { text: 5 }],
  ])('returns a tool error of %s for the invalid arguments %j', (name, args) => {
    expect(called(name, args)).toMatchObject({ result: { isError: true } });
  });

  it('requests a name, and greets with it', () => {
    const elicits = { elicitation: {} };
    expect(called('greet', {}, {}, elicits)).toMatchObject({
      result: { resultType: 'input_required', requestState: 'greet', inputRequests: { name: {} } },
    });
    const answer = (response: object): object => ({
      ...{ requestState: 'greet', inputResponses: { name: response } },
    });
    const accepted = answer({ action: 'accept', content: { name: 'Ada' } });
    expect(called('greet', {}, accepted, elicits)).toMatchObject({
      result: { structuredContent: { greeting: 'Hello, Ada!' } },
    });
    expect(called('greet', {}, answer({ action: 'cancel' }), elicits)).toMatchObject({
      result: { structuredContent: { greeting: 'Hello, stranger!' } },
    });
    expect(called('greet', {}, answer({ action: 'x' }), elicits)).toMatchObject({
      result: { resultType: 'input_required' },
    });
    expect(called('greet', {})).toMatchObject({ error: { code: -32_021 } });
  });

  it('refuses requests of revisions with sessions, other methods and unknown tools', () => {
    const headers = { 'content-type': 'application/json', accept: '*/*' };
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const body = Buffer.from(JSON.stringify(initialize));
    expect(sandboxMcpResponse({ method: 'POST', headers, body, now: NOW }).status).toBe(400);
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect(sandboxMcpResponse({ method, headers, body: Buffer.alloc(0), now: NOW }).status).toBe(405);
    expect(sent('prompts/list', {}).status).toBe(404);
    expect(called('rm', {})).toMatchObject({ error: { code: -32_602 } });
    expect(sandboxMcpResponse({ method: 'POST', headers, body: Buffer.from('{'), now: NOW }).status).toBe(
      400,
    );
  });
});
