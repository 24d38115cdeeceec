import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;
const TXT = 16;

/** A DNS server on loopback that serves TXT records. */
export class NameServer {
  private readonly texts = new Map<string, readonly string[]>();
  private readonly failing = new Set<string>();

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port, address }) => {
      socket.send(this.answer(query), port, address);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  /** Address for resolver settings, such as `127.0.0.1:5353`. */
  get address(): string {
    return `127.0.0.1:${String(this.socket.address().port)}`;
  }

  set(name: string, texts: readonly string[]): void {
    this.texts.set(name, texts);
  }

  /** Makes the server fail for a name. */
  fail(name: string): void {
    this.failing.add(name);
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(query: Buffer): Buffer {
    const [name, end] = nameIn(query);
    const question = query.subarray(HEADER_BYTES, end + 4);
    const texts = this.texts.get(name) ?? [];
    const code = this.failing.has(name) ? SERVER_FAILURE : texts.length === 0 ? NAME_ERROR : 0;
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(code === 0 ? texts.length : 0, 6);
    return Buffer.concat([header, question, ...(code === 0 ? texts.map(recordOf) : [])]);
  }
}

/** Returns the name of a query in lower case, and the offset after it. */
function nameIn(query: Buffer): [name: string, end: number] {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return [labels.join('.').toLowerCase(), at + 1];
}

function recordOf(text: string): Buffer {
  const data = Buffer.from(text);
  const record = Buffer.alloc(13);
  // Compression pointer to the name of the question.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TXT, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(1, 6);
  record.writeUInt16BE(data.length + 1, 10);
  record.writeUInt8(data.length, 12);
  return Buffer.concat([record, data]);
}
