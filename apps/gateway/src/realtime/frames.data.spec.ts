import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deflateRawSync } from 'node:zlib';
import { eventually, readCases } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { HANDSHAKE, maskedFrame, RawClient } from './spec-support/raw-client';
import { SocketProvider } from './spec-support/socket-provider';

interface Expected {
  readonly echo?: string;
  readonly pong?: string;
  readonly close?: readonly number[];
  readonly either?: readonly Expected[];
  /** Describes what the assertions of all cases show. */
  readonly note?: string;
}
const EXPECTATIONS = ['echo', 'pong', 'close', 'either', 'note'];
interface FrameCase {
  readonly id: string;
  readonly frames: readonly string[];
  readonly expect: Expected;
  readonly reason: string;
  readonly gen?: {
    readonly text_bytes?: number;
    readonly fragments?: number;
    readonly pings?: number;
    readonly deflate_bomb_mb?: number;
  };
}
interface HandshakeCase {
  readonly id: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: number | readonly number[];
  readonly reason: string;
}

const cases = readCases('ws_frames.json') as { frames: FrameCase[]; handshakes: HandshakeCase[] };

const TEXT = 0x81;
const RSV1_TEXT = 0xc1;
const PING = 0x89;
/** Bytes that gateway and provider may hold after a generated case, which is large. */
const HELD_BYTES = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the bytes in use after a garbage collection. */
function heldBytes(): number {
  collectGarbage();
  // Buffers are freed in the background; the next collection waits for that.
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
/**
 * permessage-deflate is not negotiated, so a compressed frame violates the protocol (1002) before
 * any byte is inflated; its inflated size is never known.
 */
const OTHERWISE: Readonly<Record<string, Expected>> = { 'ws-087': { close: [1002] } };

let gateway: GatewayHarness;
let provider: SocketProvider;

beforeAll(async () => {
  gateway = await GatewayHarness.start();
  // The gateway must detect the violation, not the upstream.
  provider = await SocketProvider.start({ echo: true, maxPayload: 0, maxPendingAutoPongs: 0 });
  gateway.addProvider('main', 'openai', provider.origin);
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

const accepted = (): Promise<RawClient> =>
  RawClient.open(gateway.port, {
    ...HANDSHAKE,
    'x-gw-api-key': gateway.apiKey,
    'x-gw-provider': '@main',
  });

describe('frames of a realtime client', () => {
  let client: RawClient;

  beforeEach(async () => {
    client = await accepted();
    expect(client.status).toBe(101);
  });
  afterEach(() => {
    client.destroy();
  });

  it.each(cases.frames.map((entry) => [entry.id, entry.reason, entry] as const))(
    '%s: %s',
    async (id, _reason, entry) => {
      // Built before the measurement, because the client holds it too.
      const bytes = bytesOf(entry);
      const before = entry.gen === undefined ? 0 : heldBytes();
      client.send(...bytes);
      const expected = OTHERWISE[id] ?? entry.expect;
      await expectOneOf(client, expected.either ?? [expected]);
      if (entry.gen === undefined) return;
      client.frames.length = 0;
      expect(heldBytes() - before).toBeLessThan(HELD_BYTES);
    },
  );
});

describe('handshakes of a realtime client', () => {
  it.each(cases.handshakes.map((entry) => [entry.id, entry.reason, entry] as const))(
    '%s: %s',
    async (id, _reason, { method, headers, expect: statuses }) => {
      const seen = provider.handshakes.length;
      if (id === 'wsh-13') gateway.addKey('sk-CANARY');
      // These cases are about the key: one has none, one sends it as a subprotocol.
      const isAboutKey = id === 'wsh-10' || id === 'wsh-13';
      const client = await RawClient.open(
        gateway.port,
        {
          ...(isAboutKey ? {} : { 'x-gw-api-key': gateway.apiKey }),
          'x-gw-provider': '@main',
          ...headers,
        },
        { method, body: 'x'.repeat(Number(headers['content-length'] ?? '0')) },
      );
      expect([statuses].flat()).toContain(client.status);
      expect(provider.handshakes.length - seen).toBe(client.status === 101 ? 1 : 0);
      if (client.status === 101) {
        expect(client.head).not.toMatch(/permessage-deflate/i);
        client.send(maskedFrame(TEXT, Buffer.from('k')));
        expect((await client.frame('text')).payload.toString()).toBe('k');
      }
      client.destroy();
    },
  );

  it('[AUT-08] wsh-13: the key in a subprotocol is neither echoed nor forwarded nor logged', async () => {
    gateway.addKey('sk-CANARY');
    const entry = cases.handshakes.find(({ id }) => id === 'wsh-13') as HandshakeCase;
    const client = await RawClient.open(gateway.port, { 'x-gw-provider': '@main', ...entry.headers });
    expect(client.header('sec-websocket-protocol')).toBe('realtime');
    expect(client.head).not.toContain('CANARY');
    client.send('888000000000');
    await client.closeCode();
    expect(JSON.stringify(provider.handshakes.at(-1)?.rawHeaders)).not.toContain('CANARY');
    expect(JSON.stringify(await gateway.records())).not.toContain('CANARY');
    client.destroy();
  });
});

function bytesOf({ frames, gen }: FrameCase): readonly (Buffer | string)[] {
  if (gen === undefined) return frames;
  if (gen.text_bytes !== undefined) return [maskedFrame(TEXT, Buffer.alloc(gen.text_bytes, 'a'))];
  if (gen.fragments !== undefined) {
    const empty = maskedFrame(0x00, Buffer.alloc(0));
    return [maskedFrame(0x01, Buffer.alloc(0)), Buffer.concat(Array<Buffer>(gen.fragments).fill(empty))];
  }
  if (gen.pings !== undefined) {
    const ping = maskedFrame(PING, Buffer.alloc(0));
    return [Buffer.concat(Array<Buffer>(gen.pings).fill(ping)), maskedFrame(TEXT, Buffer.from('after'))];
  }
  const bomb = deflateRawSync(Buffer.alloc(1_048_576 * Math.min(gen.deflate_bomb_mb ?? 0, 16)));
  return [maskedFrame(RSV1_TEXT, bomb)];
}

/** A case without an expectation must leave a working session. */
async function expectOneOf(client: RawClient, expected: readonly Expected[]): Promise<void> {
  expect(EXPECTATIONS).toEqual(expect.arrayContaining(expected.flatMap((each) => Object.keys(each))));
  const first = await eventually(() => client.frames[0], { everyMs: 2 });
  if (expected.every(({ echo, pong, close }) => echo === undefined && pong === undefined && !close)) {
    expect((await client.frame('text')).payload.toString()).toBe('after');
    return;
  }
  const { payload } = first;
  const seen =
    first.opcode === 8
      ? { close: await client.closeCode() }
      : { [first.opcode === 10 ? 'pong' : 'echo']: payload.toString() };
  expect(
    expected.flatMap(({ echo, pong, close }) => [
      ...(echo === undefined ? [] : [{ echo: spelled(echo) }]),
      ...(pong === undefined ? [] : [{ pong: spelled(pong) }]),
      ...(close ?? []).map((code) => ({ close: code })),
    ]),
  ).toContainEqual(seen);
}

/** `a*125` represents that many letters. */
const spelled = (text: string): string =>
  text.replace(/^(.)\*(\d+)$/, (_whole, letter: string, count: string) => letter.repeat(Number(count)));
