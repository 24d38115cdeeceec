import { Agent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { INTERNAL, type BalancesAnswer, type BalancesRequest } from '@gw/contracts';
import type { LedgerStore } from '@gw/limits';

/** Below what the ledger waits for it. */
const TIMEOUT_MS = 1_500;
const ANSWER_BYTES_MAX = 4 * 1_048_576;

/** Asks the worker, who writes the durable record, what lost counters had used. */
export class DurableBalances implements LedgerStore {
  private readonly agent: Agent;
  private readonly url: string;

  constructor(
    workerUrl: string,
    private readonly serviceToken: string,
  ) {
    this.url = new URL(INTERNAL.balances, workerUrl).href;
    const options = { keepAlive: true, maxSockets: 4 };
    this.agent = this.url.startsWith('https:') ? new HttpsAgent(options) : new Agent(options);
  }

  balances(
    organisationId: string,
    counters: BalancesRequest['counters'],
  ): Promise<BalancesAnswer['balances']> {
    return this.ask({ organisationId, counters });
  }

  async burnRates(organisationId: string, counters: BalancesRequest['counters']): Promise<(number | null)[]> {
    const balances = await this.ask({ organisationId, counters, withBurn: true });
    return balances.map(({ perDay }) => (typeof perDay === 'number' ? perDay : null));
  }

  close(): void {
    this.agent.destroy();
  }

  private async ask(request: BalancesRequest): Promise<BalancesAnswer['balances']> {
    const { counters } = request;
    const { balances } = (await this.post(JSON.stringify(request))) as BalancesAnswer;
    if (balances.length !== counters.length || !balances.every(isBalance)) {
      throw new Error('The worker gave balances that cannot be read.');
    }
    return balances;
  }

  private post(body: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const req = (this.url.startsWith('https:') ? httpsRequest : httpRequest)(
        this.url,
        {
          method: 'POST',
          agent: this.agent,
          timeout: TIMEOUT_MS,
          headers: {
            authorization: `Bearer ${this.serviceToken}`,
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          },
        },
        (res) => {
          const chunks: Buffer[] = [];
          let size = 0;
          res.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > ANSWER_BYTES_MAX) res.destroy(new Error('The worker answers with too much.'));
            else chunks.push(chunk);
          });
          res.once('error', reject);
          res.once('end', () => {
            try {
              if (res.statusCode !== 200) throw new Error('The worker refused to tell balances.');
              resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
            } catch (error) {
              reject(error instanceof Error ? error : new Error('The answer cannot be read.'));
            }
          });
        },
      );
      req.once('timeout', () => req.destroy(new Error('The worker did not answer in time.')));
      req.once('error', reject);
      req.end(body);
    });
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isPart = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && isCount(value[1]);

const areParts = (value: unknown): boolean => Array.isArray(value) && value.every(isPart);

const isBalance = (value: unknown): boolean => {
  const { period, used, holders, former = [] } = value as BalancesAnswer['balances'][number];
  return Number.isSafeInteger(period) && isCount(used) && areParts(holders) && areParts(former);
};
