import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy, sealingKeyring } from '@gw/kernel';
import type { AgentServerDocument } from '@gw/contracts';
import { OutboundClient } from '@gw/outbound';
import { eventually } from '@gw/testing';
import { agentDocument } from '../spec-support/agent-server';
import { pushRules } from './push-rules';
import { sealedConfig } from './push-secrets';
import { PushSender } from './push-sender';
import type { PushRecord } from './push-store';

const CARD = { origin: 'http://127.0.0.1:1', card: '{"name":"Stub","skills":[]}' };

describe('PushSender', () => {
  const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
  const outbound = new OutboundClient({
    ...{ policy, maxConnectionsPerOrigin: 16, maxPools: 16, keepAliveTimeoutMs: 10_000 },
  });
  const ring = sealingKeyring(Buffer.alloc(32, 7));
  const record: PushRecord = {
    ...{ id: 'r-1', agentId: 'a', agent: 'stub', organisationId: 'o' },
    owner: { workspaceId: 'w', principal: 'key:k' },
    ...{ caller: null, version: '1.0', tokenHash: '' },
  };
  const document = agentDocument(CARD, 'stub');
  const stored = { id: 'c', version: '1.0' as const, sealed: '' };
  let hook: Server;
  let received = 0;
  let status = 200;
  let configs = [stored];
  let allowed: () => Promise<AgentServerDocument | null>;
  const dropped: unknown[] = [];
  const senders: PushSender[] = [];
  beforeAll(async () => {
    hook = createServer((req, res) => {
      received += 1;
      req.resume().on('end', () => res.writeHead(status).end());
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    [received, status, configs] = [0, 200, [stored]];
    allowed = () => Promise.resolve(document);
    dropped.length = 0;
  });
  afterEach(() => {
    for (const sender of senders.splice(0)) sender.close();
  });
  afterAll(async () => {
    outbound.close();
    hook.closeAllConnections();
    await new Promise((resolve) => hook.close(resolve));
  });

  const url = () => `http://127.0.0.1:${String((hook.address() as AddressInfo).port)}/`;
  const config = () =>
    sealedConfig(ring, record, { id: 'c', url: url(), token: null, authentication: null }, '1.0');
  function senderOf(bytesMax?: number): PushSender {
    const sender = new PushSender(
      {
        ...{ outbound, ring, rules: pushRules(policy, null, ['127.0.0.1']) },
        agents: { of: () => allowed() },
        store: { configs: () => Promise.resolve(configs) },
        log: { warn: (facts: unknown) => void dropped.push(facts) },
      },
      bytesMax,
    );
    senders.push(sender);
    return sender;
  }
  const event = (length: number) => ({
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_WORKING' },
      metadata: { x: 'x'.repeat(length) },
    },
  });

  it('refuses notifications beyond the bytes that may wait, and accepts more once those are sent', async () => {
    status = 503;
    const sender = senderOf(40_000);
    expect(sender.send(record, config(), event(15_000))).toBe(true);
    expect(sender.send(record, config(), event(15_000))).toBe(false);
    status = 200;
    await eventually(() => sender.send(record, config(), event(15_000)));
    await eventually(() => received >= 2);
  });

  it('makes no second attempt for a caller whose right has ended meanwhile', async () => {
    status = 503;
    senderOf().send(record, config(), event(1));
    await eventually(() => received === 1);
    allowed = () => Promise.resolve(null);
    await eventually(() => dropped.length === 1);
    expect(dropped).toEqual([expect.objectContaining({ attempt: 2, status: null })]);
    expect(received).toBe(1);
  });

  it('makes no second attempt for a config that the client has deleted meanwhile', async () => {
    status = 503;
    senderOf().send(record, config(), event(1));
    await eventually(() => received === 1);
    configs = [];
    await eventually(() => dropped.length === 1);
    expect(dropped).toEqual([expect.objectContaining({ fault: 'The client has deleted its config.' })]);
    expect(received).toBe(1);
  });

  it('neither sends nor drops a notification while the right of the caller cannot be read', async () => {
    status = 503;
    senderOf().send(record, config(), event(1));
    await eventually(() => received === 1);
    allowed = () => Promise.reject(new Error('away'));
    await eventually(() => dropped.length === 1);
    expect(dropped).toEqual([expect.objectContaining({ attempt: 2, err: expect.any(Error) })]);
    expect(received).toBe(1);
  });
});
