import { eventually, type StubProvider } from '@gw/testing';
import type { Redis } from '@gw/redis';
import { once } from 'node:events';
import { createConnection, type AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Workbench } from './workbench';

/**
 * Returns the encodings in which a text may occur in another one, and the beginning of a long text,
 * which masked forms show.
 */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const start = secret.slice(0, 12);
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...(secret.length >= 20 && start.includes('CANARY') ? [start] : []),
  ];
}

/** Receives mails as text without soft line breaks. */
export class MailSink {
  readonly mails: string[] = [];
  private readonly server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        this.mails.push(Buffer.concat(chunks).toString('utf8').replaceAll('=\r\n', ''));
        done();
      });
    },
  });

  /** Settings of the product that send its mails here. */
  async start(): Promise<Record<string, string>> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String((this.server.server.address() as AddressInfo).port),
      SMTP_SECURE: 'none',
      SMTP_FROM: 'Acme AI <gateway@acme.example>',
    };
  }

  stop(): Promise<void> {
    return new Promise((done) => this.server.close(done));
  }
}

/** Returns everything that a stub received: line, headers and body. */
export const receivedBy = (stub: StubProvider): string =>
  stub.requests
    .map(({ url, rawHeaders, body }) => `${url}\n${rawHeaders.join('\n')}\n${body.toString('latin1')}`)
    .join('\n');

/** Reads the tail of the log in the background. */
export class TailSink {
  text = '';
  private readonly stopping = new AbortController();

  async start(bench: Workbench, key: string): Promise<void> {
    const response = await fetch(`${bench.product.adminUrl}/v1/logs/tail`, {
      headers: { 'x-gw-api-key': key },
      signal: this.stopping.signal,
    });
    if (response.status !== 200 || !response.body)
      throw new Error(`The tail responded with ${String(response.status)}.`);
    void this.read(response.body).catch(() => undefined);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body) this.text += decoder.decode(chunk, { stream: true });
  }
}

/** Returns every Redis key with its value, of any type. */
export async function redisDump(redis: Redis): Promise<string> {
  const held: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', 1_000);
    cursor = next;
    for (const key of keys) held.push(key, JSON.stringify(await valueOf(redis, key)));
  } while (cursor !== '0');
  return held.join('\n');
}

async function valueOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.getBuffer(key))?.toString('latin1');
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, 0, -1);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return null;
  }
}

/** Sets a password on a Redis without one, and returns the URL with it. */
export async function withRedisPassword(url: string, password: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.write(`CONFIG SET requirepass ${password}\r\n`);
  const [response] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  if (!response.toString().startsWith('+OK')) throw new Error(response.toString());
  return `redis://:${encodeURIComponent(password)}@${hostname}:${port}`;
}

/** Downloads the file of a completed export. */
export async function exportedFile(bench: Workbench, body: object): Promise<Buffer> {
  const { id } = await bench.manage<{ id: string }>('POST', '/logs/exports', { body });
  await bench.manage('POST', `/logs/exports/${id}/start`);
  const isWritten = async (): Promise<boolean> =>
    (await bench.manage<{ status: string }>('GET', `/logs/exports/${id}`)).status === 'success';
  await eventually(isWritten, { timeoutMs: 60_000, everyMs: 200 });
  const { signed_url: url } = await bench.manage<{ signed_url: string }>(
    'GET',
    `/logs/exports/${id}/download`,
  );
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
