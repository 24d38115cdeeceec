import type { BalancesResponse, BalancesRequest, ChargeRecord } from '@gw/contracts';
import { DAY_MS, storableText } from '@gw/kernel';
import {
  addBalances,
  addBudgetHours,
  addHolders,
  heldBalancesOf,
  hourOf,
  markBudgets,
  PRICE_CORRECTIONS,
  recentUseOf,
  type BudgetHourRow,
  type RevertedEstimate,
  type HolderRow,
  type LedgerAmount,
  type LedgerRow,
} from '@gw/ledger-store';
import {
  budgetAccount,
  BURN_WINDOW_MS,
  burnRatePerDay,
  counterOfAccount,
  parseBudgetKey,
  postingsOf,
  savingPostings,
  type LedgerPosting,
} from '@gw/limits';
import { dayOf, type LogEntry } from '@gw/log-store';
import type { DataSource, EntityManager } from 'typeorm';
import type { NamedCharges, Uncharged } from './charged-once';
import { isCharge, isCount, readableCharges } from './readable-charges';

/** A budget that was charged. */
export interface TouchedBudget {
  readonly organisationId: string;
  readonly key: string;
}

/** A correction of an earlier charge in 1e-8 USD; negative if the charge is reduced. */
export interface Adjustment {
  readonly organisationId: string;
  /** Time of the log record, ISO 8601; decides day and hour of the correction. */
  readonly createdAt: string;
  readonly charge: ChargeRecord;
  readonly difference: number;
  /** Corrected tokens; absent if they do not change. */
  readonly tokens?: number;
}

/** The rows of a transaction by their keys. */
interface Postings {
  readonly rows: Map<string, LedgerRow>;
  readonly hours: Map<string, BudgetHourRow>;
  readonly holders: Map<string, HolderRow>;
}

const noPostings = (): Postings => ({ rows: new Map(), hours: new Map(), holders: new Map() });

const HITS: ReadonlySet<string> = new Set(['HIT', 'SEMANTIC HIT']);

/**
 * The durable record of all budgets: the balances of the charges in log records. A record and its
 * charges are stored once, in one transaction, so balances stay exact when batches are repeated.
 */
export class LedgerBook {
  /** Called with the charged budgets after the commit. */
  onTouched: (budgets: readonly TouchedBudget[]) => void = () => undefined;

  constructor(private readonly source: DataSource) {}

  /**
   * Books the charges of new records, once per record even if a batch contains it twice, and takes
   * back replaced estimates, all in a fixed order.
   */
  async enter(
    manager: EntityManager,
    entries: readonly LogEntry[],
    fresh: ReadonlySet<string>,
    { givenBack = [], uncharged = [] }: Partial<Omit<NamedCharges, 'entries'>> = {},
  ): Promise<readonly TouchedBudget[]> {
    const postings = noPostings();
    const entered = new Set<string>();
    for (const { row } of entries) {
      if (row.organisation_id === null || !fresh.has(row.id) || entered.has(row.id)) continue;
      entered.add(row.id);
      addRecord(postings, row, row.organisation_id);
    }
    const newUncharged = uncharged.filter(({ logId, charge }) => entered.has(logId) && isCharge(charge));
    // If a record has two charges with the same name, the last one counts.
    const byName = new Map(newUncharged.map((each) => [`${each.logId} ${String(each.charge.once)}`, each]));
    for (const each of byName.values()) addUncharged(postings, each);
    for (const each of givenBack)
      if (isCharge(each.estimate.charge)) addAdjustment(postings, reversalOf(each));
    return this.post(manager, postings);
  }

  /**
   * Books corrections of earlier charges in the transaction that corrects their records. No gateway
   * counted them, so they belong to no gateway's part: counters receive them from the durable
   * record under a separate name.
   */
  adjust(manager: EntityManager, adjustments: readonly Adjustment[]): Promise<readonly TouchedBudget[]> {
    const postings = noPostings();
    for (const adjustment of adjustments) addAdjustment(postings, adjustment);
    return this.post(manager, postings);
  }

  private async post(
    manager: EntityManager,
    { rows, hours, holders }: Postings,
  ): Promise<readonly TouchedBudget[]> {
    const all = [...rows.values()];
    await addBalances(manager, all);
    await addBudgetHours(manager, [...hours.values()]);
    await addHolders(manager, [...holders.values()]);
    const touched = all.flatMap(({ organisationId, account }) => {
      const key = counterOfAccount(account);
      return key === null ? [] : [{ organisationId, key }];
    });
    await markBudgets(
      manager,
      touched.map(({ organisationId, key }) => ({ organisationId, counter: key })),
    );
    return touched;
  }

  committed(touched: readonly TouchedBudget[]): void {
    if (touched.length > 0) this.onTouched(touched);
  }

  /**
   * Returns the usage of budgets. A counter that belongs to no budget has no durable usage. Within a
   * transaction, pass its manager, because another connection may not be available.
   */
  async balances(
    { organisationId, counters, withBurn }: BalancesRequest,
    manager: EntityManager = this.source.manager,
  ): Promise<BalancesResponse['balances']> {
    const requested = counters.map(({ key, since }) => ({ account: accountOf(key), since }));
    const balances = await heldBalancesOf(manager, organisationId, requested);
    const nowMs = Date.now();
    const recent = withBurn
      ? await recentUseOf(manager, organisationId, requested, nowMs - BURN_WINDOW_MS)
      : null;
    return balances.map((balance, at) => {
      const counter = counters[at];
      const type = parseBudgetKey(counter?.key ?? '')?.type;
      const period = counter?.since ?? 0;
      const burnt = recent?.[at];
      if (type === undefined) return { period, used: 0, holders: [] };
      const partsOf = (isRecent: boolean) =>
        balance.holders
          .filter((part) => part.isRecent === isRecent)
          .map((part) => [part.holder, part[type]] as const);
      const used = Math.max(0, balance[type]);
      const adjusted = balance.adjusted[type];
      const reported = { period, used, adjusted, holders: partsOf(true), former: partsOf(false) };
      if (burnt === undefined) return reported;
      return {
        ...reported,
        perDay: burnRatePerDay({ amount: burnt[type], firstHourMs: burnt.firstHour }, nowMs),
      };
    });
  }
}

function addRecord({ rows, hours, holders }: Postings, row: LogEntry['row'], organisationId: string): void {
  const day = dayOf(row.created_at) * DAY_MS;
  add(rows, organisationId, savingOf(row, day));
  for (const charge of readableCharges(row.decision)) {
    add(rows, organisationId, postingsOf(charge, day));
    addHours(hours, organisationId, charge, hourOf(row.created_at));
    addParts(holders, organisationId, charge);
  }
}

function addAdjustment(
  { rows, hours, holders }: Postings,
  { organisationId, createdAt, charge, difference, tokens = 0 }: Adjustment,
): void {
  const change = { ...charge, cost: difference, tokens, requests: 0 as const };
  add(rows, organisationId, postingsOf(change, dayOf(createdAt) * DAY_MS));
  addHours(hours, organisationId, change, hourOf(createdAt));
  addParts(holders, organisationId, corrected(change));
}

/**
 * Books usage that a gateway counted but no record charges: it is added to the gateway's part,
 * which counters compare with what that gateway reported, and subtracted under `PRICE_CORRECTIONS`,
 * so that the balance stays the same.
 */
function addUncharged({ holders }: Postings, { organisationId, charge }: Uncharged): void {
  const counters = charge.counters.filter(([, , holder]) => holder !== undefined);
  // `0 - x`, because `-x` is −0 for 0.
  const back = { cost: 0 - (charge.cost ?? 0), tokens: 0 - charge.tokens };
  addParts(holders, organisationId, charge);
  addParts(holders, organisationId, corrected({ ...charge, ...back, counters }));
}

const corrected = (change: ChargeRecord): ChargeRecord => ({
  ...change,
  counters: change.counters.map(([key, period]) => [key, period, PRICE_CORRECTIONS] as const),
});

const reversalOf = ({ organisationId, estimate, cost, tokens }: RevertedEstimate): Adjustment => ({
  ...{ organisationId, ...estimate },
  ...{ difference: 0 - cost, tokens: 0 - tokens },
});

/**
 * Returns the postings of a cached response's saving, as analytics count it; none for other
 * requests.
 */
const savingOf = (
  { cache_status: status, saved_cost: cost, provider }: LogEntry['row'],
  day: number,
): readonly LedgerPosting[] =>
  HITS.has(status) && isCount(cost) && cost > 0 ? savingPostings(provider ?? '', cost, day) : [];

function add(rows: Map<string, LedgerRow>, organisationId: string, postings: readonly LedgerPosting[]): void {
  for (const posting of postings) {
    const account = storableText(posting.account);
    const rowKey = `${organisationId} ${account} ${String(posting.period)}`;
    const sum = rows.get(rowKey);
    rows.set(rowKey, { organisationId, account, period: posting.period, ...sumOf(sum, posting) });
  }
}

/** Adds a charge to the hourly sums of its budgets. */
function addHours(
  hours: Map<string, BudgetHourRow>,
  organisationId: string,
  { counters, cost, tokens, requests }: ChargeRecord,
  hour: number,
): void {
  for (const [key, period] of counters) {
    const account = accountOf(key);
    const rowKey = `${organisationId} ${account} ${String(period)} ${String(hour)}`;
    const sum = sumOf(hours.get(rowKey), { cost: cost ?? 0, tokens, requests });
    hours.set(rowKey, { ...{ organisationId, account, period, hour }, ...sum });
  }
}

/** Adds a charge to the part of each budget that belongs to the gateway that counted it. */
function addParts(
  parts: Map<string, HolderRow>,
  organisationId: string,
  { counters, cost, tokens, requests }: ChargeRecord,
): void {
  for (const [key, period, name] of counters) {
    if (name === undefined) continue;
    const [account, holder] = [accountOf(key), storableText(name)];
    const rowKey = `${organisationId} ${account} ${String(period)} ${holder}`;
    const sum = sumOf(parts.get(rowKey), { cost: cost ?? 0, tokens, requests });
    parts.set(rowKey, { organisationId, account, period, holder, ...sum });
  }
}

const sumOf = (sum: LedgerAmount | undefined, { cost, tokens, requests }: LedgerAmount): LedgerAmount => ({
  cost: (sum?.cost ?? 0) + cost,
  tokens: (sum?.tokens ?? 0) + tokens,
  requests: (sum?.requests ?? 0) + requests,
});

/**
 * Returns the account as the database holds it, because rows are added up by account: callers
 * choose the values that policies group by.
 */
const accountOf = (key: string): string => storableText(budgetAccount(key));
