import { Agent, request } from 'node:http';

/** Outcome of one request: 200, another status with its message, or the error. */
type Outcome = number | string;

export interface Load {
  /** Number of each outcome so far. */
  readonly outcomes: ReadonlyMap<Outcome, number>;
  /** Resolves when the last request has an outcome. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly perSecond: number;
}

const TICK_MS = 20;
/** Maximum number of open requests, which a slower machine than the rate needs reaches. */
const OPEN_MAX = 256;

/**
 * Sends POSTs at a fixed rate over kept-alive connections, however long responses take, and at a
 * lower rate while `OPEN_MAX` requests are open.
 */
export function startLoad({ url, headers, body, perSecond }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: OPEN_MAX });
  const outcomes = new Map<Outcome, number>();
  const open = new Set<Promise<void>>();
  const begun = performance.now();
  let sent = 0;
  const send = (): void => {
    const one = once(agent, url, headers, body).then((outcome) => {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      open.delete(one);
    });
    open.add(one);
    sent += 1;
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - begun) / 1_000) * perSecond;
    while (sent < due && open.size < OPEN_MAX) send();
  }, TICK_MS);
  return {
    outcomes,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

function once(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...headers, ...length } },
      (response) => {
        response.on('error', (error) => {
          resolve(`cut: ${error.message}`);
        });
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => (text += piece));
        response.on('end', () => {
          const { statusCode = 0 } = response;
          resolve(statusCode === 200 ? statusCode : `${String(statusCode)} ${saidIn(text)}`);
        });
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    outgoing.end(body);
  });
}

/** Returns the error's message, so that equal outcomes are counted together. */
function saidIn(text: string): string {
  return /"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 200);
}
