import { createTokenEstimator, type LedgerStore } from '@gw/limits';
import type { ModelConfigs } from '@gw/pricing';
import type { Provider } from '@gw/providers';
import type { Log } from '@gw/web';
import type { GatewaySettings } from '../settings';
import { createPriceSources } from '../usage/model-configs';
import { GatewayPricer } from '../usage/gateway-pricer';
import type { Documents } from '../auth/documents';
import { Accounts } from './accounts';
import { Estimates } from '../usage/estimates';
import type { HolderNames } from './holder-names';
import { LostUses } from '../usage/lost-use';
import { createLedger, type RunningLedger } from './create-ledger';
import { SessionAccounts } from './session-accounts';

export interface Limits extends RunningLedger {
  readonly accounts: Accounts;
  readonly lostUses: LostUses;
  readonly pricer: GatewayPricer;
  /** Null: no price source is configured. */
  readonly priceSources: ModelConfigs | null;
}

/** Creates the prices, the ledger and the accounts that connect them to requests. */
export function createLimits({
  settings,
  documents,
  providers,
  balances,
  holderNames,
  log,
}: {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly balances: LedgerStore | null;
  readonly holderNames: HolderNames | null;
  readonly log: Log;
}): Limits {
  const priceSources = createPriceSources(settings, log);
  const pricer = new GatewayPricer(priceSources);
  const running = createLedger(settings, balances, holderNames, log);
  const estimates = new Estimates(createTokenEstimator(), pricer, documents, providers);
  const sessions = new SessionAccounts(running.ledger, estimates, pricer);
  const accounts = new Accounts(running.ledger, estimates, pricer, sessions);
  return { ...running, pricer, priceSources, accounts, lostUses: new LostUses(estimates, sessions) };
}
