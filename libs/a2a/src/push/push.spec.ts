import { createAddressPolicy } from '@gw/kernel';
import {
  A2aError,
  pushAddressFault,
  pushReceipt,
  pushRequest,
  pushTokenHash,
  pushUrlFault,
  pushVerdict,
  readPushConfig,
  type Members,
  type PushRules,
} from '../index';

const RULES: PushRules = {
  policy: createAddressPolicy({ trustedHosts: ['hooks.lan', '127.0.0.1'] }),
  ownUrls: ['https://gateway.example.org', 'http://127.0.0.1:8787'],
};
const HOOK = 'https://client.example.org/hook';
const EVENT = { task: { id: 't', status: { state: 'TASK_STATE_COMPLETED' } } };

describe('pushUrlFault and pushAddressFault', () => {
  it.each([
    'http://client.example.org/hook',
    'https://GATEWAY.example.org/v1/models',
    'https://gateway.example.org.:443/',
    'https://127.0.0.1:8787/',
    'https://user@client.example.org/',
    'https://10.0.0.1/',
    7,
  ])('refuse %s', (url) => {
    expect(pushUrlFault(url, RULES)).not.toBeNull();
  });

  it('allow plain http if allowsHttp is set', () => {
    expect(pushUrlFault('http://127.0.0.1:9000/hook', { ...RULES, allowsHttp: true })).toBeNull();
    expect(pushUrlFault('https://gateway.example.org:8443/hook', RULES)).toBeNull();
  });

  it('judge every resolved address', () => {
    expect(pushAddressFault('https://hooks.lan/a', ['10.0.0.1'], RULES)).toBeNull();
    expect(pushAddressFault('https://hooks.lan/a', ['169.254.169.254'], RULES)).not.toBeNull();
    expect(pushAddressFault(HOOK, ['::1'], RULES)).not.toBeNull();
    expect(pushAddressFault('https://10.0.0.1/', ['93.184.216.34'], RULES)).not.toBeNull();
  });
});

describe('readPushConfig', () => {
  const read = (more: Members) => readPushConfig({ url: HOOK, ...more }, 0, RULES);

  it('returns the config, with null for the empty texts of serialisers', () => {
    const authentication = { scheme: 'Bearer', credentials: 'c' };
    expect(read({ id: 'i', token: 't', authentication })).toEqual({
      ...{ id: 'i', url: HOOK, token: 't', authentication },
    });
    expect(read({ id: '', token: '', authentication: { scheme: 'Bearer' } })).toEqual({
      ...{ id: null, url: HOOK, token: null, authentication: null },
    });
  });

  it.each<Members>([
    { token: 'a\nb' },
    { token: 'x'.repeat(4_097) },
    { id: 'a b' },
    { id: 'x'.repeat(256) },
    { authentication: [] },
    { authentication: { credentials: 'c' } },
    { authentication: { scheme: 'Bearer x', credentials: 'c' } },
    { authentication: { scheme: 'Bearer', credentials: 'a\r\nX: b' } },
  ])('refuses %j', (more) => {
    expect(() => read(more)).toThrow(A2aError);
  });
});

describe('pushRequest', () => {
  it('carries the credentials of the client and the signature of the gateway', () => {
    const config = readPushConfig(
      { url: HOOK, token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } },
      0,
      RULES,
    );
    const sign = (body: Buffer): string => `v1=${String(body.length)}`;
    const { headers, body } = pushRequest(config, EVENT, { version: '1.0', sign });
    expect(headers).toEqual({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer c',
      'x-a2a-notification-token': 't',
      'x-gw-signature': `v1=${String(body.length)}`,
    });
    expect(JSON.parse(body.toString())).toEqual(EVENT);
    const plain = pushRequest({ ...config, token: null, authentication: null }, EVENT, { version: '0.3' });
    expect(plain.headers).toEqual({ 'content-type': 'application/json' });
    expect(() => pushRequest(config, {}, { version: '0.3' })).toThrow(A2aError);
  });

  it.each([
    [204, 1, { kind: 'delivered' }],
    [429, 1, { kind: 'retry', delayMs: 1_000 }],
    [503, 4, { kind: 'retry', delayMs: 300_000 }],
    [null, 5, { kind: 'dropped' }],
    [410, 1, { kind: 'dropped' }],
    [301, 1, { kind: 'dropped' }],
  ])('leads to the expected verdict after status %s of attempt %s', (status, attempt, verdict) => {
    expect(pushVerdict(status, attempt)).toEqual(verdict);
  });
});

describe('pushReceipt', () => {
  const registration = { tokenHash: pushTokenHash('s'), taskId: 't', version: '0.3' } as const;
  const receive = (body: string, token: string | null = 's') =>
    pushReceipt({ token, body: Buffer.from(body) }, registration);
  const TASK = '{"kind":"task","id":"t","status":{"state":"completed"}}';

  it('returns the event as 1.0 writes it', () => {
    expect(receive(TASK)).toEqual({ kind: 'accepted', event: EVENT });
  });

  it('reads events of 1.0 from agents whose interface is 0.3', () => {
    expect(receive(JSON.stringify(EVENT))).toEqual({ kind: 'accepted', event: EVENT });
    expect(receive(JSON.stringify({ task: { ...EVENT.task, id: 'other' } }))).toMatchObject({ status: 404 });
  });

  it.each([
    [TASK, null, 401],
    ['not read', 'wrong', 401],
    [' '.repeat(1_048_577), 's', 413],
    ['{', 's', 400],
    ['{"kind":"message","messageId":"m","role":"other"}', 's', 400],
    ['{"kind":"message","messageId":"m","role":"agent","parts":[]}', 's', 404],
    [TASK.replace('"t"', '"other"'), 's', 404],
  ])('refuses other deliveries, such as %.60s with the token %s', (body, token, status) => {
    expect(receive(body, token)).toEqual({ kind: 'refused', status });
  });
});

describe('pushReceipt', () => {
  it.each([
    ['a context that is no text', { task: { ...EVENT.task, contextId: 5 } }],
    ['an id of 513 characters', { task: { ...EVENT.task, contextId: 'x'.repeat(513) } }],
    ['two events', { ...EVENT, message: { messageId: 'm' } }],
  ])('refuses %s as an event that cannot be read', (_what, event) => {
    const registration = { tokenHash: pushTokenHash('secret'), taskId: 't', version: '1.0' } as const;
    const body = Buffer.from(JSON.stringify(event));
    expect(pushReceipt({ token: 'secret', body }, registration)).toEqual({ kind: 'refused', status: 400 });
  });
});
