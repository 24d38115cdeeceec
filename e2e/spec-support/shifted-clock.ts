import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const CLOCK = "redis.call('TIME')";

/**
 * Proxy in front of a Redis that shifts its clock for scripts, which are the only source of time
 * for the product.
 */
export class ShiftedClock {
  /** Whole seconds added to the time that scripts see. */
  seconds = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.relay(client));
  }

  static async before(redisUrl: string): Promise<ShiftedClock> {
    const clock = new ShiftedClock(createServer(), new URL(redisUrl));
    await new Promise<void>((resolve) => clock.server.listen(0, '127.0.0.1', resolve));
    return clock;
  }

  get url(): string {
    return `redis://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private relay(client: Socket): void {
    const redis = connect(Number(this.target.port), this.target.hostname);
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let command = commandOf(rest); command !== null; command = commandOf(rest)) {
        rest = rest.subarray(command.bytes);
        redis.write(encoded(this.turned(command.words)));
      }
    });
    redis.pipe(client);
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }

  /** Reports scripts as unknown by hash, so that clients send their text through this proxy. */
  private turned(words: readonly Buffer[]): readonly Buffer[] {
    const [name, script = Buffer.alloc(0), ...others] = words;
    if (name === undefined || name.toString().toLowerCase() !== 'eval' || !script.includes(CLOCK))
      return words;
    const turned = `(function() local t = ${CLOCK} return { t[1] + ${String(this.seconds)}, t[2] } end)()`;
    return [name, Buffer.from(script.toString().replaceAll(CLOCK, turned)), ...others];
  }
}

/** Parses the first complete command of the input; null if it is incomplete. */
function commandOf(bytes: Buffer): { readonly words: readonly Buffer[]; readonly bytes: number } | null {
  const words: Buffer[] = [];
  let at = 0;
  const number = (): number | null => {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return null;
    const value = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return value;
  };
  const count = number();
  if (count === null) return null;
  for (let word = 0; word < count; word += 1) {
    const length = number();
    if (length === null || at + length + 2 > bytes.length) return null;
    words.push(bytes.subarray(at, at + length));
    at += length + 2;
  }
  return { words, bytes: at };
}

const encoded = (words: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from(`*${String(words.length)}\r\n`),
    ...words.flatMap((word) => [Buffer.from(`$${String(word.length)}\r\n`), word, Buffer.from('\r\n')]),
  ]);
