import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** One step of a scripted upstream, as in `sse_upstream.json`. */
export type UpstreamStep =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly raw_head?: string;
      readonly raw?: string;
      readonly bytes?: string;
      readonly wait_ms?: number;
      readonly hang_ms?: number;
      readonly reset?: number;
      readonly end?: number;
      readonly next?: number;
      readonly next_target?: number;
      readonly repeat?: number;
      readonly write?: string;
      readonly every_ms?: number;
      readonly gen?: {
        readonly prefix?: string;
        readonly repeat?: string;
        readonly total?: number;
        readonly suffix?: string;
        readonly nested_arrays?: number;
        readonly bytes?: number;
      };
    };

const WAIT_MAX_MS = 1_500;

/** Returns the bytes that a step adds to a body; empty for a step that only acts. */
export function bodyBytes(step: UpstreamStep): Buffer {
  if (typeof step === 'string') return Buffer.from(step);
  if (step.bytes !== undefined) return Buffer.from(step.bytes, 'hex');
  if (step.write !== undefined) return Buffer.from(step.write.repeat(step.repeat ?? 1));
  const { gen } = step;
  if (!gen) return Buffer.alloc(0);
  if (gen.nested_arrays !== undefined) {
    return Buffer.from('['.repeat(gen.nested_arrays) + ']'.repeat(gen.nested_arrays));
  }
  if (gen.bytes !== undefined) return Buffer.alloc(gen.bytes, 0x20);
  return Buffer.from((gen.prefix ?? '') + (gen.repeat ?? '').repeat(gen.total ?? 0) + (gen.suffix ?? ''));
}

/**
 * An upstream on raw sockets, which can break every rule of HTTP. Plays its script for each
 * request.
 */
export class RawUpstream {
  requests = 0;
  /** Number of requests whose connection the other side closed before the script ended. */
  aborted = 0;
  private readonly sockets = new Set<Socket>();
  private constructor(
    private readonly server: Server,
    private readonly script: readonly UpstreamStep[],
  ) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.sockets.delete(socket));
      let head = '';
      socket.on('data', (data) => {
        head += data.toString('latin1');
        if (!isWhole(head)) return;
        head = '';
        this.requests += 1;
        void this.play(socket);
      });
    });
  }

  static async start(script: readonly UpstreamStep[]): Promise<RawUpstream> {
    const server = createServer();
    const upstream = new RawUpstream(server, script);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private async play(socket: Socket): Promise<void> {
    let raw = false;
    for (const step of this.script) {
      if (socket.destroyed) {
        this.aborted += 1;
        return;
      }
      raw = (await this.act(socket, step, raw)) || raw;
    }
  }

  /** True once the script has written its own framing. */
  private async act(socket: Socket, step: UpstreamStep, raw: boolean): Promise<boolean> {
    if (typeof step !== 'string') {
      if (step.status !== undefined) return head(socket, step.status, step.headers ?? {}, this.isRaw());
      const bytes = step.raw_head ?? step.raw;
      if (bytes !== undefined) {
        socket.write(bytes);
        return true;
      }
      if (step.every_ms !== undefined)
        return this.drip(socket, step.write ?? '', step.repeat ?? 1, step.every_ms);
      await this.pause(socket, step, raw);
    }
    await writeChunk(socket, bodyBytes(step), raw);
    // One write per segment, because the case is about how the bytes are split.
    await delay(typeof step === 'string' && step.length < 4 ? 0 : 2);
    return false;
  }

  /** Performs a reset, an end or a delay. */
  private async pause(socket: Socket, step: Exclude<UpstreamStep, string>, raw: boolean): Promise<void> {
    if (step.reset !== undefined) socket.resetAndDestroy();
    if (step.end !== undefined || step.next !== undefined) endBody(socket, raw);
    if (step.hang_ms !== undefined) await delay(5_000);
    if (step.wait_ms !== undefined) await delay(Math.min(step.wait_ms, WAIT_MAX_MS));
  }

  private isRaw(): boolean {
    return this.script.some((step) => typeof step !== 'string' && step.raw !== undefined);
  }

  private async drip(socket: Socket, text: string, times: number, everyMs: number): Promise<boolean> {
    for (let i = 0; i < times && !socket.destroyed; i += 1) {
      await writeChunk(socket, Buffer.from(text), false);
      await delay(everyMs);
    }
    if (socket.destroyed) this.aborted += 1;
    return false;
  }
}

function head(
  socket: Socket,
  status: number,
  headers: Readonly<Record<string, string>>,
  raw: boolean,
): boolean {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const framing = 'transfer-encoding' in headers ? '' : 'transfer-encoding: chunked\r\n';
  socket.write(`HTTP/1.1 ${String(status)} X\r\n${lines.join('')}${framing}\r\n`);
  return raw;
}

async function writeChunk(socket: Socket, bytes: Buffer, raw: boolean): Promise<void> {
  if (bytes.length === 0 || raw || socket.destroyed) return;
  socket.write(`${bytes.length.toString(16)}\r\n`);
  socket.write(bytes);
  if (!socket.write('\r\n'))
    await Promise.race([new Promise((done) => socket.once('drain', done)), delay(3_000)]);
}

function endBody(socket: Socket, raw: boolean): void {
  if (socket.destroyed) return;
  if (raw) socket.end();
  else socket.write('0\r\n\r\n');
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /content-length: (\d+)/i.exec(text);
  return text.length >= end + 4 + Number(length?.[1] ?? 0);
}
