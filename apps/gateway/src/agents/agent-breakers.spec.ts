import { AgentCallError } from '@gw/a2a-client';
import { OutboundError } from '@gw/outbound';
import { TargetHealth } from '@gw/routing';
import { freePort } from '@gw/testing';
import type { UpstreamBreakers } from '../limits/upstream-breakers';
import { GatewayHarness } from '../spec-support/harness';
import { agentBreakers } from './agent-breakers';
import { AgentDenied } from './denials';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { message, StubAgent } from './spec-support/stub-agent';

const timeout = (phase: 'connect' | 'headers' | 'idle' | 'total'): AgentCallError =>
  new AgentCallError('timeout', 'Timed out.', { cause: new OutboundError('timeout', 'Timed out.', phase) });
const unreachable = new AgentCallError('unreachable', 'No connection.');

describe('breakers of agents', () => {
  let now = 1_000_000;
  let breakers: UpstreamBreakers;
  beforeEach(() => {
    breakers = agentBreakers(new TargetHealth(), () => now);
  });
  const at = (workspaceId: string) => ({ workspaceId, integrationId: 'i' });
  const calls = (count: number, error: unknown): void => {
    for (let call = 0; call < count; call += 1) breakers.enter(at('w1'))(error);
  };

  it('open after five failed connections in a row, for one workspace, until a call succeeds', () => {
    calls(4, unreachable);
    calls(1, timeout('connect'));
    expect(() => breakers.enter(at('w1'))).toThrow(AgentDenied);
    breakers.enter(at('w2'))(null);
    now += 30_000;
    const ends = breakers.enter(at('w1'));
    expect(() => breakers.enter(at('w1'))).toThrow(AgentDenied);
    ends(null);
    calls(2, null);
  });

  it('do not open because of long calls, errors of the agent, client disconnects or denials', () => {
    for (const phase of ['headers', 'idle', 'total'] as const) calls(10, timeout(phase));
    for (const kind of ['agent_error', 'http_status', 'cancelled', 'no_memory', 'refused_address'] as const)
      calls(10, new AgentCallError(kind, ''));
    calls(10, new Error('denied'));
    calls(1, null);
  });
});

describe('unreachable agent', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
  });
  afterAll(() => gateway.stop());
  const post = async (method: string): Promise<string> =>
    (
      await fetch(`http://127.0.0.1:${String(gateway.port)}/v1/agent/helper`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
        },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method },
          params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
        }),
      })
    ).text();

  it.each(['SendMessage', 'SendStreamingMessage'])('gets no more calls of %s for a while', async (method) => {
    const agent = await StubAgent.start();
    const away = agentDocument(
      { origin: `http://127.0.0.1:${String(await freePort())}`, card: agent.card },
      'helper',
    );
    saveAgent(gateway, away);
    for (let call = 0; call < 5; call += 1) expect(await post(method)).not.toContain('breaker');
    expect(await post(method)).toMatch(/the breaker is open.*circuit_open/);
    // The breaker is about the integration, whatever its address is now.
    saveAgent(gateway, { ...away, integrationId: 'another', endpoint: agentDocument(agent, 'x').endpoint });
    agent.respond = (call, res) => StubAgent.result(call, res, { message: message('hello') });
    expect(await post(method)).toContain('hello');
    await agent.close();
  });
});
