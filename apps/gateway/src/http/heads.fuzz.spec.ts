import { connect } from 'node:net';
import { mutatedBytes, readCases, StubProvider } from '@gw/testing';
import fc from 'fast-check';
import { GatewayHarness } from '../spec-support/harness';

const { cases } = readCases('http_raw.json') as { cases: readonly { send: readonly unknown[] }[] };
const texts = cases.flatMap(({ send }) =>
  send.every((part) => typeof part === 'string') ? [send.join('')] : [],
);

const AT_ONCE = 25;

describe('randomly mutated requests', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let admin: StubProvider;

  beforeAll(async () => {
    [stub, admin] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson({ ok: true });
    admin.respondJson({ error: { type: 'unauthenticated' } }, 401);
    gateway = await GatewayHarness.start({
      ADMIN_URL: admin.origin,
      HEADERS_TIMEOUT: '200',
      BODY_IDLE_TIMEOUT: '200',
      KEEP_ALIVE_TIMEOUT: '200',
    });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([stub.stop(), admin.stop()]);
  });

  /** Returns the statuses of all responses, until the gateway closes the connection. */
  const responsesTo = (bytes: Buffer): Promise<readonly number[]> =>
    new Promise((resolve) => {
      let text = '';
      const socket = connect({ port: gateway.port, host: '127.0.0.1' });
      socket.on('data', (data) => (text += data.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () =>
        resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code))),
      );
      socket.write(bytes);
    });
  const seeds = (): Buffer[] =>
    texts.map((text) =>
      Buffer.from(
        text
          .replaceAll(/ \/t(?=[ ?\r])/g, ' /v1/t')
          .replace(/\r\n(?=Host:)/i, `\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n`),
        'latin1',
      ),
    );

  it('get a response or are refused, cause no gateway fault, and leave the gateway working', async () => {
    await fc.assert(
      // Incomplete requests wait for their time-out, so many are sent at once.
      fc.asyncProperty(
        fc.array(mutatedBytes(seeds()), { minLength: AT_ONCE, maxLength: AT_ONCE }),
        async (many) => {
          const statuses = (await Promise.all(many.map(responsesTo))).flat();
          expect(statuses.filter((status) => status >= 500 && status !== 501)).toEqual([]);
        },
      ),
      { numRuns: Math.ceil((fc.readConfigureGlobal()?.numRuns ?? 100) / AT_ONCE) },
    );
    const whole = `GET /v1/t HTTP/1.1\r\nHost: a\r\nx-gw-api-key: ${gateway.apiKey}\r\nx-gw-provider: @main\r\n\r\n`;
    expect(await responsesTo(Buffer.from(whole))).toEqual([200]);
  });
});
