import type { Balance, LedgerStore } from '@gw/limits';

/**
 * Reads the usage of budgets whose counters are lost from the durable record. That record is
 * incomplete while records of an earlier process are still in the journal. Until they are stored,
 * reads reject, and each limit follows its `on_outage`.
 */
export class AdoptedBalances implements LedgerStore {
  constructor(
    private readonly record: LedgerStore,
    private readonly hasArrived: () => boolean,
  ) {}

  balances(...args: Parameters<LedgerStore['balances']>): readonly Balance[] | Promise<readonly Balance[]> {
    if (!this.hasArrived()) {
      return Promise.reject(
        new Error('Log records of an earlier process are not in the durable record yet.'),
      );
    }
    return this.record.balances(...args);
  }
}
