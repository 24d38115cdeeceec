import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { BODY, budget, RESPONSE } from './spec-support/cent-calls';

const KEY = 'leftKey0000000000000000000000000';

describe('a client that leaves while its attempt waits for a guardrail', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let hook: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, hook] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson(RESPONSE);
    gateway.addProvider('main', 'openai', stub.origin, { usageLimits: [budget({ creditLimit: 10 })] });
    gateway.addKey(KEY, { id: 'left', usageLimits: [budget({ creditLimit: 10 })] });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), hook.stop()]);
  });

  it('is charged nothing, because no provider is called', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    hook.respond({ after: held, body: { verdict: true } });
    const check = { 'default.webhook': { webhookURL: hook.origin }, deny: true };
    const leave = new AbortController();
    const gone = fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: {
        'x-gw-api-key': KEY,
        'x-gw-config': JSON.stringify({ provider: '@main', input_guardrails: [check] }),
        'content-type': 'application/json',
      },
      body: JSON.stringify(BODY),
    }).catch(() => null);
    await hook.waitForRequest();
    leave.abort();
    await gone;
    // The gateway must notice the disconnect before the guardrail responds.
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(`${gateway.baseUrl}/nothing`)).text();
    release();
    const own = async () => (await gateway.records()).find(({ model }) => model === 'gpt-4o');
    const record = await eventually(own);
    expect(record).toMatchObject({
      ...{ outcome: 'client_closed', cost: null, priced: 'no_usage' },
      decision: {
        attempts: [{ end: 'client_closed', reason: 'The request ended before the call was made.' }],
      },
    });
    expect(record.decision.charges ?? []).toEqual([]);
    expect(stub.connections).toBe(0);
  });
});
