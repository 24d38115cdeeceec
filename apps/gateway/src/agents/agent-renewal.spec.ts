import { agentAuthBinding } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { eventually, STUB_IDENTITY, StubTokenServices } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { message, StubAgent, type StubCall } from './spec-support/stub-agent';

describe('access token that an agent refuses', () => {
  let gateway: GatewayHarness;
  let agent: StubAgent;
  let tokens: StubTokenServices;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    agent = await StubAgent.start();
    tokens = await StubTokenServices.start();
    const document = agentDocument(agent, 'helper', {
      authType: 'oauth_client_credentials',
      configurations: {
        oauth_client_credentials: {
          token_endpoint: `${tokens.origin}/oauth`,
          client_id: STUB_IDENTITY.oauthClient,
        },
      },
    });
    const binding = agentAuthBinding(ORGANISATION_ID, document.integrationId);
    const content = JSON.stringify({ clientSecret: STUB_IDENTITY.oauthSecret });
    saveAgent(gateway, { ...document, sealedAuth: seal(sealingKeyring(gateway.master), content, binding) });
  });
  afterEach(async () => {
    await agent.close();
    await tokens.stop();
    await gateway.stop();
  });

  const post = (method: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(gateway.port)}/v1/agent/helper`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method },
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
      }),
    });
  const tokenOf = ({ headers }: StubCall): string => String(headers.authorization).slice(-1);
  const seen = (): string => agent.calls.map(tokenOf).join(' ');
  /** Makes the agent accept only tokens from number `first` on. */
  const acceptFrom = (first: number, status = 401): void => {
    agent.respond = (call, res) => {
      if (Number(tokenOf(call)) < first) res.writeHead(status).end();
      else if (call.method === 'SendStreamingMessage') {
        StubAgent.stream(call, res)({ message: message('hello') });
        res.end();
      } else StubAgent.result(call, res, { message: message('hello') });
    };
  };

  it.each(['SendMessage', 'SendStreamingMessage'])('is replaced once for %s', async (method) => {
    acceptFrom(2);
    const response = await post(method);
    expect(await response.text()).toContain('hello');
    expect(seen()).toBe('1 2');
    await eventually(async () => (await gateway.records()).length === 1);
    const [record] = await gateway.records();
    expect(record?.decision).toMatchObject({
      attempts: [
        { retry: 0, status: 401 },
        { retry: 1, status: 200 },
      ],
    });
  });

  it('is not replaced when the new one is refused too, nor again within ten seconds', async () => {
    acceptFrom(9);
    expect(await (await post('SendMessage')).json()).toMatchObject({ error: { code: -32_603 } });
    expect(seen()).toBe('1 2');
    await post('SendMessage');
    expect(seen()).toBe('1 2 2');
  });

  it('is replaced for each of the calls for which it was refused', async () => {
    const waiting: (() => void)[] = [];
    agent.respond = (call, res) => {
      if (tokenOf(call) !== '1') StubAgent.result(call, res, { message: message('hello') });
      else if (waiting.push(() => res.writeHead(401).end()) === 3) for (const refuse of waiting) refuse();
    };
    const responses = await Promise.all([1, 2, 3].map(async () => (await post('SendMessage')).text()));
    for (const text of responses) expect(text).toContain('hello');
    expect(tokens.issued).toBe(2);
  });

  it('is not replaced after 403, which reports missing rights', async () => {
    acceptFrom(2, 403);
    await post('SendMessage');
    expect(seen()).toBe('1');
  });
});
