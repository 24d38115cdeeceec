import { Ledger, MemoryCounterStore } from '@gw/limits';
import type { Log } from '@gw/web';
import type { GatewaySettings } from '../settings';

export interface RunningLedger {
  readonly ledger: Ledger;
  /** Tells the counters what was used, if they can be reached. */
  close(): void;
}

export function createLedger(_settings: GatewaySettings, log: Log): RunningLedger {
  const ledger = new Ledger({ counters: new MemoryCounterStore(), record: null });
  ledger.start();
  return {
    ledger,
    close: () => {
      ledger.stop().catch(() => {
        log.warn({}, 'what was used since the last quarter of a second could not be told to the counters');
      });
    },
  };
}
