import { Agent, request } from 'node:http';

export interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** Disconnects as soon as the first bytes of the response arrive. */
  readonly leaves: boolean;
}

export interface Got {
  /** Response; null if there was none or it was interrupted. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Why the response is incomplete. */
  readonly reason: string | null;
}

/** Time limit in milliseconds: no call of the mix takes seconds, except on a busy machine. */
const PATIENCE_MS = 120_000;

/** A client of one gateway that keeps its connections. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

  constructor(private readonly port: number) {}

  close(): void {
    this.agent.destroy();
  }

  /** Never rejects. */
  send({ path, headers, body, leaves }: Sent): Promise<Got> {
    const text = JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    return new Promise((resolve) => {
      const broken = (error: Error): void => {
        resolve({ status: null, headers: {}, text: '', reason: error.message });
      };
      const req = request(
        {
          agent: this.agent,
          host: '127.0.0.1',
          port: this.port,
          path,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
        },
        (res) => {
          const chunks: Buffer[] = [];
          const responded = (): void => {
            const { statusCode = null, headers: reported } = res;
            resolve({
              status: statusCode,
              headers: reported,
              text: Buffer.concat(chunks).toString(),
              reason: null,
            });
          };
          res.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if (!leaves || res.statusCode !== 200) return;
            responded();
            req.destroy();
          });
          res.on('error', broken);
          res.on('end', responded);
        },
      );
      req.on('error', broken);
      req.setTimeout(PATIENCE_MS, () => {
        req.destroy(new Error(`No response arrived for ${String(PATIENCE_MS)} ms.`));
      });
      req.end(text);
    });
  }
}
