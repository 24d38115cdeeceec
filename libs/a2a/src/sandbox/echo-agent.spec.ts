import { createAddressPolicy } from '@gw/kernel';
import { readCard, readRpcResponse, translateResult } from '../index';
import { SANDBOX_AGENT_ORIGIN, sandboxAgentResponse, type SandboxAgentResponse } from './echo-agent';

const policy = createAddressPolicy({ trustedHosts: ['agent.sandbox.invalid'] });
const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }, { text: 'again' }] };

function sent(method: string, params: object, version: string | null = '1.0'): SandboxAgentResponse {
  let ids = 0;
  return sandboxAgentResponse({
    ...{ method: 'POST', path: '/a2a', version, now: new Date(Date.UTC(2026, 10, 1)) },
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })),
    newId: () => `id-${String(++ids)}`,
  });
}
/** Returns the result as 0.3 writes it. Throws unless it has the shape of 1.0. */
function resultOf(operation: 'sendMessage' | 'sendStreamingMessage', chunk = ''): unknown {
  const outcome = readRpcResponse(Buffer.from(chunk.replace(/^data: /, '')), 7);
  if (outcome.kind === 'error') throw new Error(JSON.stringify(outcome.error));
  return translateResult(operation, outcome.result, { from: '1.0', to: '0.3' });
}

describe('sandboxAgentResponse', () => {
  it('returns a card with an address that the gateway can call', () => {
    const request = { ...{ method: 'GET', path: '/.well-known/agent-card.json' }, version: null };
    const more = { body: Buffer.alloc(0), newId: () => 'id', now: new Date() };
    const { status, chunks } = sandboxAgentResponse({ ...request, ...more });
    const card = JSON.parse(chunks.join('')) as Record<string, unknown>;
    const read = readCard(card, { policy, endpoint: SANDBOX_AGENT_ORIGIN });
    expect([status, read.name, read.url]).toEqual([200, 'Sandbox', `${SANDBOX_AGENT_ORIGIN}/a2a`]);
    expect(read.interfaces).toMatchObject([{ binding: 'JSONRPC', version: '1.0' }]);
  });

  it('returns the text of a message', () => {
    const { contentType, chunks } = sent('SendMessage', { message });
    expect(contentType).toBe('application/json');
    expect(resultOf('sendMessage', chunks[0])).toMatchObject({
      ...{ kind: 'task', status: { state: 'completed' } },
      artifacts: [{ parts: [{ kind: 'text', text: 'Hello\nagain' }] }],
    });
  });

  it('streams a task, its artifact and its end, in the context of the client', () => {
    const { contentType, chunks } = sent('SendStreamingMessage', {
      message: { ...message, contextId: 'c1' },
    });
    expect(contentType).toBe('text/event-stream');
    expect(chunks.map((chunk) => resultOf('sendStreamingMessage', chunk))).toMatchObject([
      { kind: 'task', id: 'id-1', contextId: 'c1', status: { state: 'working' } },
      { kind: 'artifact-update', taskId: 'id-1', contextId: 'c1' },
      { kind: 'status-update', taskId: 'id-1', status: { state: 'completed' } },
    ]);
  });

  it.each([
    ['GetTask', { id: 'x' }, -32_001],
    ['ListTasks', {}, -32_004],
    ['Nothing', {}, -32_601],
    ['SendMessage', {}, -32_602],
    ['message/send', { message }, -32_009],
  ])('refuses %s', (method, params, code) => {
    expect(JSON.parse(sent(method, params).chunks.join(''))).toMatchObject({ id: 7, error: { code } });
  });
});
