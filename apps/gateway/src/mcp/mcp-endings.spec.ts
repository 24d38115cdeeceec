import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord, McpServerDocument } from '@gw/contracts';
import { readSealedFile } from '@gw/journal';
import { eventually, modernRequest, startMcpFixture, StubProvider, type McpFixture } from '@gw/testing';
import { recordOfLine } from '../in-flight/begun-record';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { RawSession } from './spec-support/raw-session';

describe('end of MCP calls and streams', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let document: McpServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    fixture = await startMcpFixture();
    document = await serverDocument(fixture.url, 'tools', { prices: { default: 500, tools: {} } });
    saveServer(gateway, document);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const modern = (apiKey: string, method: string, params: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`, {
      ...modernRequest(apiKey, method, params),
      ...(signal && { signal }),
    });
  const slow = (ms: number) => ({ name: 'slow', arguments: { ms } });
  const key = (secret: string) => gateway.addKey(secret, { scopes: ['mcp.invoke'] });

  it('has a call on disk with its price while its server handles it, in case the gateway crashes', async () => {
    key(gateway.apiKey);
    const leaving = new AbortController();
    const before = fixture.calls.get('slow') ?? 0;
    const call = modern(gateway.apiKey, 'tools/call', slow(20_000), leaving.signal).catch(() => null);
    await eventually(() => Promise.resolve((fixture.calls.get('slow') ?? 0) > before));
    const { directory, sealer } = gateway.home;
    const lines = readdirSync(directory)
      .filter((name) => name.startsWith('in-flight-'))
      .flatMap((name) => (readSealedFile(join(directory, name), sealer) ?? []).join('').split('\n'));
    const records = lines.map(recordOfLine).filter((record): record is LogRecord => record !== null);
    const lost = records.find(({ route }) => route === 'mcp.tools.call');
    leaving.abort();
    await call;
    await eventually(() => Promise.resolve(fixture.cancelled.includes('slow')));
    const record = await eventually(async () => (await gateway.records()).at(-1));
    expect([record.route, record.outcome, record.cost]).toEqual(['mcp.tools.call', 'client_closed', null]);
    // The short form contains all that was known when the call began.
    const { id, createdAt, url, apiKeyId, integrationId, mcpServer, mcpCapability, requestBytes } = record;
    expect(lost).toMatchObject({
      ...{ id, createdAt, url, apiKeyId, integrationId, mcpServer, mcpCapability, requestBytes },
      ...{ outcome: 'interrupted', errorType: 'gateway_lost', cost: 500, priced: 'estimated' },
      ...{ mcpMethod: 'tools/call', requestContentType: 'application/json', provider: null, status: 0 },
      decision: { attempts: [], mcp: record.decision.mcp },
    });
  });

  it('ends the stream of a session that its client ends', async () => {
    key(gateway.apiKey);
    const origin = `http://127.0.0.1:${String(gateway.port)}`;
    const [ended, other] = [
      await RawSession.open(origin, gateway.apiKey),
      await RawSession.open(origin, gateway.apiKey),
    ];
    const [stream, goesOn] = [await ended.get(origin), await other.get(origin)];
    expect((await ended.delete(origin)).status).toBe(204);
    await stream.untilEnd();
    expect(goesOn.isEnded).toBe(false);
    goesOn.leave();
  });

  it('ends a stream of changes when its caller is revoked, and no other stream', async () => {
    const [gone, stays] = ['goneKey00000000000000000000000A1', 'staysKey0000000000000000000000A1'];
    for (const each of [gone, stays]) key(each);
    const filter = { notifications: { toolsListChanged: true } };
    const leaving = new AbortController();
    const ends = modern(gone, 'subscriptions/listen', filter).then((response) => response.text());
    const goesOn = await modern(stays, 'subscriptions/listen', filter, leaving.signal);
    const reader = goesOn.body?.getReader();
    gateway.removeKey(gone);
    expect(await ends).toContain('"resultType":"complete"');
    saveServer(gateway, { ...document, capabilities: document.capabilities.slice(1) });
    let seen = '';
    await eventually(async () => {
      const chunk = await reader?.read();
      seen += Buffer.from(chunk?.value ?? []).toString('utf8');
      return seen.includes('notifications/tools/list_changed');
    });
    leaving.abort();
  });

  it('ends a call in flight with one error when its caller is revoked', async () => {
    const gone = 'goneKey00000000000000000000000A2';
    key(gone);
    const before = fixture.calls.get('slow') ?? 0;
    const call = modern(gone, 'tools/call', slow(20_000));
    await eventually(() => Promise.resolve((fixture.calls.get('slow') ?? 0) > before));
    gateway.removeKey(gone);
    expect((await call).status).toBe(401);
  });

  it('cancels the call in flight of a session whose caller is revoked', async () => {
    const gone = 'goneKey00000000000000000000000A4';
    key(gone);
    const origin = `http://127.0.0.1:${String(gateway.port)}`;
    const session = await RawSession.open(origin, gone);
    const before = { calls: fixture.calls.get('slow') ?? 0, cancelled: fixture.cancelled.length };
    const call = session.send(origin, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: slow(20_000) });
    await eventually(() => Promise.resolve((fixture.calls.get('slow') ?? 0) > before.calls));
    gateway.removeKey(gone);
    expect((await call).status).toBe(401);
    await eventually(() => Promise.resolve(fixture.cancelled.length > before.cancelled));
  });

  it('does not call the server when the caller is revoked while a guardrail judges the arguments', async () => {
    const gone = 'goneKey00000000000000000000000A3';
    key(gone);
    const hook = await StubProvider.start();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    hook.respond({ after: held, body: { verdict: true } });
    const webhook = { id: 'default.webhook', parameters: { webhookURL: hook.origin } };
    gateway.addGuardrail('judge', [webhook], {}, { target: 'mcp_tools' });
    const runsOn = { runOn: ['beforeToolCall' as const], capabilityIds: [] };
    saveServer(gateway, { ...document, guardrails: [{ guardrailId: 'guardrail-judge', ...runsOn }] });
    const before = fixture.calls.get('slow') ?? 0;
    const call = modern(gone, 'tools/call', slow(1));
    await hook.waitForRequest();
    gateway.removeKey(gone);
    expect((await call).status).toBe(401);
    release();
    saveServer(gateway, document);
    key(gateway.apiKey);
    await (await modern(gateway.apiKey, 'tools/call', slow(1))).json();
    expect(fixture.calls.get('slow')).toBe(before + 1);
    await hook.stop();
  });

  it('limits one caller to 50 calls in flight at a server and 20 streams, and denies more at once', async () => {
    const busy = 'busyKey00000000000000000000000A1';
    key(busy);
    saveServer(gateway, document);
    const before = fixture.calls.get('slow') ?? 0;
    const leaving = new AbortController();
    const calls = Array.from({ length: 50 }, () =>
      modern(busy, 'tools/call', slow(20_000), leaving.signal).catch(() => null),
    );
    await eventually(() => Promise.resolve((fixture.calls.get('slow') ?? 0) === before + 50));
    expect(await (await modern(busy, 'tools/call', slow(1))).json()).toMatchObject({
      error: { code: 31_429, data: { type: 'rate_limited', limit: { value: 50 } } },
    });
    key('calmKey00000000000000000000000A1');
    const calm = await (await modern('calmKey00000000000000000000000A1', 'tools/call', slow(1))).json();
    expect(calm).toHaveProperty('result');
    const listen = () => modern(busy, 'subscriptions/listen', { notifications: {} }, leaving.signal);
    const streams = await Promise.all(Array.from({ length: 20 }, listen));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect((await listen()).status).toBe(429);
    leaving.abort();
    await Promise.all(calls);
    await eventually(
      async () => 'result' in ((await (await modern(busy, 'tools/call', slow(1))).json()) as object),
    );
  });

  it('gives each of 120 concurrent calls its own result or the denial of the maximum', async () => {
    const burst = 'burstKey0000000000000000000000A1';
    key(burst);
    saveServer(gateway, document);
    const texts = Array.from({ length: 120 }, (_, index) => `text ${String(index)} ${'x'.repeat(index)}`);
    const bodies = await Promise.all(
      texts.map(async (text) => {
        const response = await modern(burst, 'tools/call', { name: 'echo', arguments: { text } });
        // A response that takes long is a stream, whose last event has it.
        const body = await response.text();
        return JSON.parse(body.split('data: ').at(-1) ?? '') as object;
      }),
    );
    const denied = { code: 31_429, data: { type: 'rate_limited', limit: { value: 50 } } };
    bodies.forEach((body, index) => {
      expect(body).toMatchObject(
        'error' in body ? { error: denied } : { result: { content: [{ text: texts[index] }] } },
      );
    });
    expect(bodies.filter((body) => 'result' in body).length).toBeGreaterThanOrEqual(50);
  });

  it('limits a session of a server to ten calls in flight, and denies more at once', async () => {
    const legacy = await startMcpFixture({ era: 'legacy' });
    const apiKey = 'sessionKey000000000000000000A1AA';
    key(apiKey);
    saveServer(gateway, await serverDocument(legacy.url, 'tools'));
    const leaving = new AbortController();
    const calls = Array.from({ length: 10 }, () =>
      modern(apiKey, 'tools/call', slow(20_000), leaving.signal).catch(() => null),
    );
    await eventually(() => Promise.resolve(legacy.calls.get('slow') === 10));
    const response = await modern(apiKey, 'tools/call', slow(1));
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({
      error: { code: 31_429, data: { type: 'rate_limited', limit: { value: 10 } } },
    });
    expect((await gateway.records()).at(-1)).toMatchObject({ outcome: 'denied' });
    leaving.abort();
    await Promise.all(calls);
    await legacy.close();
  });
});
