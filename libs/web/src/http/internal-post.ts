import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface InternalClientOptions {
  readonly timeoutMs: number;
  /** To each of our processes, kept open. */
  readonly connections: number;
  /** What is kept of an answer. 0: nothing, whatever comes; otherwise a longer one is an error. */
  readonly answerBytesMax: number;
}

export interface InternalAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** The time by the clock of the process that answers, as its `date` header has it; null: it has none. */
  readonly date: string | null;
}

/** POSTs to our own processes, whose addresses the operator has set. Rejects when one can't be reached or does not answer in time. */
export class InternalClient {
  private readonly plain: Agent;
  private readonly secure: HttpsAgent;

  constructor(private readonly options: InternalClientOptions) {
    const pool = { keepAlive: true, maxSockets: options.connections };
    this.plain = new Agent(pool);
    this.secure = new HttpsAgent(pool);
  }

  post(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<InternalAnswer> {
    return new Promise((resolve, reject) => {
      const isSecure = url.startsWith('https:');
      const req = (isSecure ? httpsRequest : httpRequest)(
        url,
        {
          method: 'POST',
          agent: isSecure ? this.secure : this.plain,
          timeout: this.options.timeoutMs,
          headers: { ...headers, 'content-length': String(body.length) },
        },
        (res) => {
          this.read(res).then(resolve, reject);
        },
      );
      req.once('timeout', () => req.destroy(new Error('The worker did not answer in time.')));
      req.once('error', reject);
      req.end(body);
    });
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }

  private read(res: IncomingMessage): Promise<InternalAnswer> {
    const { answerBytesMax } = this.options;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      res.on('data', (chunk: Buffer) => {
        if (answerBytesMax === 0) return;
        size += chunk.length;
        if (size > answerBytesMax) res.destroy(new Error('The worker answers with too much.'));
        else chunks.push(chunk);
      });
      res.once('end', () => {
        const { statusCode: status = 0, headers } = res;
        resolve({ status, body: Buffer.concat(chunks), date: headers.date ?? null });
      });
      res.once('error', reject);
    });
  }
}

/** One connection to each is enough: batches go one after the other. */
const SHARED = new InternalClient({ timeoutMs: 30_000, connections: 1, answerBytesMax: 0 });

/** For those who ask only whether it was taken. */
export const internalPost = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<Pick<InternalAnswer, 'status' | 'date'>> => SHARED.post(url, headers, body);
