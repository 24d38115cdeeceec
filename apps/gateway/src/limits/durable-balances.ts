import { INTERNAL, type BalancesResponse, type BalancesRequest } from '@gw/contracts';
import type { LedgerStore } from '@gw/limits';
import { ServiceClient } from '@gw/outbound';

/** The timeout is shorter than the time that the ledger waits. */
const CLIENT = { timeoutMs: 1_500, connections: 4, bytesMax: 4 * 1_048_576 };

/** Reads the usage of lost counters from the worker, which writes the durable record. */
export class DurableBalances implements LedgerStore {
  private readonly client = new ServiceClient(CLIENT);
  private readonly url: string;

  constructor(
    workerUrl: string,
    private readonly serviceToken: string,
  ) {
    this.url = new URL(INTERNAL.balances, workerUrl).href;
  }

  balances(
    organisationId: string,
    counters: BalancesRequest['counters'],
  ): Promise<BalancesResponse['balances']> {
    return this.read({ organisationId, counters });
  }

  async burnRates(organisationId: string, counters: BalancesRequest['counters']): Promise<(number | null)[]> {
    const balances = await this.read({ organisationId, counters, withBurn: true });
    return balances.map(({ perDay }) => (typeof perDay === 'number' ? perDay : null));
  }

  close(): void {
    this.client.close();
  }

  private async read(request: BalancesRequest): Promise<BalancesResponse['balances']> {
    const { counters } = request;
    const { balances } = (await this.post(request)) as BalancesResponse;
    if (balances.length !== counters.length || !balances.every(isBalance)) {
      throw new Error('The worker returned balances that are not valid.');
    }
    return balances;
  }

  private async post(request: BalancesRequest): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.serviceToken}`, 'content-type': 'application/json' };
    const { status, body } = await this.client.call({
      ...{ url: this.url, method: 'POST', headers, body: JSON.stringify(request) },
    });
    if (status !== 200) throw new Error('The worker refused to return balances.');
    return JSON.parse(body.toString('utf8'));
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isPart = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && isCount(value[1]);

const areParts = (value: unknown): boolean => Array.isArray(value) && value.every(isPart);

const isBalance = (value: unknown): boolean => {
  const { period, used, holders, former = [], adjusted = 0 } = value as BalancesResponse['balances'][number];
  return (
    [period, adjusted].every(Number.isSafeInteger) && isCount(used) && areParts(holders) && areParts(former)
  );
};
