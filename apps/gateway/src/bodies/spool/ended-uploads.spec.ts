import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Shares } from '@gw/kernel';
import { eventually, StubProvider } from '@gw/testing';
import { RequestContext } from '../../core/request-context';
import { GatewayHarness } from '../../spec-support/harness';
import { LargeBodies } from './large-bodies';
import { Spool } from './spool';

const MIB = 1_048_576;
const LIMITS = {
  ...{ maxBufferedBody: MIB, maxBody: 64 * MIB, bodyIdleMs: 60_000 },
  ...{ bodyTotalMs: 60_000, spoolTotalMs: 60_000, bodyMinRate: 0 },
};

/** Number of spool files that this process has open. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('/spool/');
    } catch {
      return false;
    }
  }).length;

const chunkOf = (bytes: number): string => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;

describe('a request that ends while its body is opened on disk', () => {
  const share = new Shares(64 * MIB).of('workspace', 'organisation');
  const folder = mkdtempSync(join(tmpdir(), 'ended-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('leaves no file open and holds no memory', async () => {
    const spool = new Spool(join(folder, 'spool'), 64 * MIB);
    const req = Object.assign(Readable.from([Buffer.alloc(MIB)]), { headers: {}, complete: true });
    const context = new RequestContext('id', req as never, new EventEmitter() as never, 'POST', '/', '', {
      kind: 'passthrough',
    } as never);
    Object.assign(context, { memory: share, principal: { workspace: { id: 'w', organisationId: 'o' } } });
    const open = spool.open.bind(spool);
    spool.open = (...given) => {
      context.settled = true;
      context.releaseBody();
      return open(...given);
    };
    const bodies = new LargeBodies({ ...LIMITS, spool });
    await expect(bodies.receive(context, 2 * MIB)).rejects.toMatchObject({ type: 'unavailable' });
    await eventually(() => openFiles() === 0);
    expect(share.held).toBe(0);
  });
});

describe('an upload whose caller ends before its body is known to be large', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  beforeEach(async () => {
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start({ MAX_BUFFERED_BODY: String(4 * MIB) });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  it('leaves no file open, although the client sends the rest', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket.write(
      `POST /v1/things HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n` +
        `content-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunkOf(MIB)}`,
    );
    const running = (): RequestContext | undefined => gateway.plane.requestsInFlight.olderThan(Infinity)[0];
    const context = await eventually(() => (running()?.heldBytes === MIB ? running() : undefined));
    gateway.removeKey(gateway.apiKey);
    await eventually(() => text.includes('HTTP/1.1 401 '));
    socket.write(`${chunkOf(6 * MIB)}0\r\n\r\nGET /v1/health/live HTTP/1.1\r\nHost: a\r\n\r\n`);
    await eventually(() => text.includes('HTTP/1.1 200 '));
    await eventually(() => openFiles() === 0);
    expect(gateway.plane.requestsInFlight.isEmpty).toBe(true);
    expect(context).toMatchObject({ spooled: null, heldBytes: 0 });
    expect(stub.requests).toHaveLength(0);
    socket.destroy();
  });
});
