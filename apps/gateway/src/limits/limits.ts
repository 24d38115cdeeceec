import { createTokenEstimator, type Ledger, type LedgerStore } from '@gw/limits';
import { PROVIDERS } from '@gw/providers';
import type { Log } from '@gw/web';
import type { Health } from '../http/front-door';
import type { GatewaySettings } from '../settings';
import { createPriceSources } from '../state/model-configs';
import { GatewayPricer } from '../state/pricer';
import type { Documents } from '../state/principals';
import { Accounts } from './accounts';
import { Estimates } from './estimates';
import { createLedger, type RunningLedger } from './ledger';

export interface Limits extends RunningLedger {
  readonly accounts: Accounts;
  readonly pricer: GatewayPricer;
}

/** Prices, counters and what stands between them and requests. */
export function createLimits({
  settings,
  documents,
  balances,
  log,
}: {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
  readonly balances: LedgerStore | null;
  readonly log: Log;
}): Limits {
  const pricer = new GatewayPricer(createPriceSources(settings, log));
  const running = createLedger(settings, balances, log);
  const estimates = new Estimates(createTokenEstimator(), pricer, documents, PROVIDERS);
  return { ...running, pricer, accounts: new Accounts(running.ledger, estimates, pricer) };
}

/** Limits whose counters cannot be reached still hold, each in its own way. */
export const withLimits = (health: Health, ledger: Ledger): Health => ({
  report: () => {
    const { degraded, degradedForMs, openReservations, abandoned, counters, refused } = ledger.health();
    return {
      ...health.report(),
      ...(degraded && { status: 'degraded' as const }),
      limits: {
        counters_reachable: !degraded,
        unreachable_for_ms: Math.round(degradedForMs),
        counters,
        open_reservations: openReservations,
        abandoned,
        refused,
      },
    };
  },
});
