import { createTokenEstimator, type LedgerStore } from '@gw/limits';
import type { ModelConfigs } from '@gw/pricing';
import { PROVIDERS } from '@gw/providers';
import type { Log } from '@gw/web';
import type { Health } from '../http/front-door';
import type { GatewaySettings } from '../settings';
import { createPriceSources } from '../state/model-configs';
import { GatewayPricer } from '../state/pricer';
import type { Documents } from '../state/principals';
import { Accounts } from './accounts';
import { Estimates } from './estimates';
import { LostUses } from './lost-use';
import { createLedger, type RunningLedger } from './ledger';

export interface Limits extends RunningLedger {
  readonly accounts: Accounts;
  readonly lostUses: LostUses;
  readonly pricer: GatewayPricer;
  /** Null: no source of prices is set. */
  readonly priceSources: ModelConfigs | null;
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
  const priceSources = createPriceSources(settings, log);
  const pricer = new GatewayPricer(priceSources);
  const running = createLedger(settings, balances, log);
  const estimates = new Estimates(createTokenEstimator(), pricer, documents, PROVIDERS);
  const accounts = new Accounts(running.ledger, estimates, pricer);
  return { ...running, pricer, priceSources, accounts, lostUses: new LostUses(estimates) };
}

/**
 * Limits whose counters cannot be reached still hold, each in its own way; a source of prices that fails leaves the last good ones in force.
 */
export const withLimits = (health: Health, { ledger, priceSources }: Limits): Health => ({
  report: () => {
    const { degraded, degradedForMs, openReservations, abandoned, admittedAlone, counters, refused } =
      ledger.health();
    const faults = priceSources?.faults() ?? [];
    return {
      ...health.report(),
      ...((degraded || faults.length > 0) && { status: 'degraded' as const }),
      limits: {
        counters_reachable: !degraded,
        unreachable_for_ms: Math.round(degradedForMs),
        counters,
        open_reservations: openReservations,
        abandoned,
        admitted_alone: admittedAlone,
        refused,
      },
      ...(priceSources !== null && {
        // Why they fail is in the log: it may name what is inside.
        prices: { failing: faults.map(({ kind, provider, source }) => ({ kind, provider, source })) },
      }),
    };
  },
});
