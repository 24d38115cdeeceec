import { SANDBOX_AGENT_CARD, SANDBOX_AGENT_ORIGIN } from '@gw/a2a';
import type { AgentInterfaceFacts } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';

const SANDBOX = { origin: SANDBOX_AGENT_ORIGIN, card: JSON.stringify(SANDBOX_AGENT_CARD) };
const endpoint: AgentInterfaceFacts = {
  ...{ url: `${SANDBOX_AGENT_ORIGIN}/a2a`, tenant: null },
  ...({ binding: 'JSONRPC', version: '1.0' } as const),
};

async function started(environment: Record<string, string> = {}): Promise<GatewayHarness> {
  const gateway = await GatewayHarness.start(environment);
  gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
  saveAgent(gateway, agentDocument(SANDBOX, 'sandbox', { endpoint }));
  return gateway;
}

async function sent({ baseUrl, apiKey }: GatewayHarness, method: string, version = '1.0'): Promise<string> {
  const message =
    version === '1.0'
      ? { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] }
      : { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'Hello' }] };
  const response = await fetch(`${baseUrl}/agent/sandbox`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': version, 'x-gw-api-key': apiKey },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } }),
  });
  return response.text();
}

describe('sandbox agent', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await started();
  });
  afterAll(() => gateway.stop());

  it('repeats a message, to clients of both versions', async () => {
    expect(JSON.parse(await sent(gateway, 'SendMessage'))).toMatchObject({
      result: {
        task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Hello' }] }] },
      },
    });
    expect(JSON.parse(await sent(gateway, 'message/send', '0.3'))).toMatchObject({
      result: { kind: 'task', status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'Hello' }] }] },
    });
  });

  it('streams the task, its artifact and its end', async () => {
    const events = (await sent(gateway, 'SendStreamingMessage')).match(/^data: .*$/gm) ?? [];
    expect(events).toHaveLength(3);
    expect(events.at(-1)).toContain('TASK_STATE_COMPLETED');
  });

  it('does not exist if the sandbox is off, whatever the document says', async () => {
    const without = await started({ SANDBOX_ENABLED: 'off' });
    expect(JSON.parse(await sent(without, 'SendMessage'))).toMatchObject({ error: { code: -32_603 } });
    await without.stop();
  });
});
