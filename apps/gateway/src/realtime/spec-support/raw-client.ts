import { connect, type Socket } from 'node:net';
import { eventually } from '@gw/testing';

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
export const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

export const HANDSHAKE: Readonly<Record<string, string>> = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': KEY,
};

/** A client that sends raw bytes, which no library would send, and records what is returned. */
export class RawClient {
  /** Status line and headers of the response. */
  head = '';
  /** The bytes after the head if it was not a 101. */
  body = '';
  readonly frames: Frame[] = [];
  ended = false;
  private buffered = Buffer.alloc(0);

  private constructor(readonly socket: Socket) {
    socket.on('data', (data: Buffer) => {
      this.read(data);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => (this.ended = true));
    socket.once('end', () => (this.ended = true));
  }

  /** Sends the handshake and waits for the head of the response. */
  static async open(
    port: number,
    headers: Readonly<Record<string, string>>,
    { method = 'GET', target = '/v1/realtime?model=gpt-realtime', body = '' } = {},
  ): Promise<RawClient> {
    const client = new RawClient(connect({ port, host: '127.0.0.1' }));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.socket.write(`${method} ${target} HTTP/1.1\r\nhost: gateway.test\r\n${lines.join('')}\r\n${body}`);
    await eventually(() => client.head !== '' || client.ended, { everyMs: 2 });
    return client;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.head)?.[1] ?? 0);
  }

  header(name: string): string | undefined {
    return new RegExp(`^${name}: (.*)$`, 'im').exec(this.head)?.[1]?.trim();
  }

  /** The response body once the connection has ended. */
  async whole(): Promise<string> {
    await eventually(() => this.ended);
    return this.body;
  }

  send(...pieces: readonly (Buffer | string)[]): void {
    for (const piece of pieces)
      this.socket.write(typeof piece === 'string' ? Buffer.from(piece, 'hex') : piece);
  }

  /** Resolves with the first frame of this kind. */
  frame(kind: keyof typeof OPCODE): Promise<Frame> {
    return eventually(() => this.frames.find(({ opcode }) => opcode === OPCODE[kind]), { everyMs: 2 });
  }

  /** Resolves with the code of the close frame; 1005 if it has none. */
  async closeCode(): Promise<number> {
    const { payload } = await this.frame('close');
    return payload.length === 0 ? 1005 : payload.readUInt16BE(0);
  }

  destroy(): void {
    this.socket.destroy();
  }

  private read(data: Buffer): void {
    this.buffered = Buffer.concat([this.buffered, data]);
    if (this.head === '') {
      const end = this.buffered.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.head = this.buffered.toString('latin1', 0, end);
      this.buffered = this.buffered.subarray(end + 4);
    }
    if (this.status === 101) this.readFrames();
    else {
      this.body += this.buffered.toString('utf8');
      this.buffered = Buffer.alloc(0);
    }
  }

  private readFrames(): void {
    for (;;) {
      const bytes = this.buffered;
      if (bytes.length < 2) return;
      const short = (bytes[1] as number) & 0x7f;
      const head = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (bytes.length < head) return;
      const length =
        short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
      if (bytes.length < head + length) return;
      this.frames.push({
        opcode: (bytes[0] as number) & 0x0f,
        payload: bytes.subarray(head, head + length),
      });
      this.buffered = bytes.subarray(head + length);
    }
  }
}

/** Builds one masked frame; the mask is zero, so that the payload stays the same. */
export function maskedFrame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length < 126 ? 6 : length < 65_536 ? 8 : 14;
  const frame = Buffer.alloc(size + length);
  frame[0] = first;
  if (size === 6) frame[1] = 0x80 | length;
  else if (size === 8) {
    frame[1] = 0xfe;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 0xff;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  payload.copy(frame, size);
  return frame;
}
