import type { Balance, LedgerStore } from '@gw/limits';

/**
 * The durable record, for budgets whose counters are lost. While records that an earlier process left in the journal are on their way to it,
 * it says less than was used: it is not consulted then, and each limit does what its `on_outage` says.
 */
export class AdoptedBalances implements LedgerStore {
  constructor(
    private readonly record: LedgerStore,
    private readonly hasArrived: () => boolean,
  ) {}

  balances(...args: Parameters<LedgerStore['balances']>): readonly Balance[] | Promise<readonly Balance[]> {
    if (!this.hasArrived()) {
      return Promise.reject(new Error('Log records of an earlier process are not in the ledger yet.'));
    }
    return this.record.balances(...args);
  }
}
