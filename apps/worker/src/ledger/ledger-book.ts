import type { BalancesAnswer, BalancesRequest, ChargeRecord } from '@gw/contracts';
import { addBalances, balancesOf, dayOf, type LedgerRow, type LogEntry } from '@gw/entities';
import { budgetAccount, counterOfAccount, parseBudgetKey, postingsOf } from '@gw/limits';
import type { DataSource, EntityManager } from 'typeorm';

/** A budget that was charged. */
export interface TouchedBudget {
  readonly organisationId: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/** Charges of one request; a gateway makes one for each attempt that was billed. */
const CHARGES_MAX = 64;
const COUNTERS_MAX = 512;

/**
 * The durable record of all budgets: balances of the charges that log records carry. A record is stored once, and its charges with it, in one
 * transaction; so balances are exact, however often a batch comes.
 */
export class LedgerBook {
  /** Told of budgets that were charged, after the commit. */
  onTouched: (budgets: readonly TouchedBudget[]) => void = () => undefined;

  constructor(private readonly source: DataSource) {}

  /** Enters the charges of those records that are new. */
  async enter(
    manager: EntityManager,
    entries: readonly LogEntry[],
    fresh: ReadonlySet<string>,
  ): Promise<readonly TouchedBudget[]> {
    const rows = new Map<string, LedgerRow>();
    for (const { row } of entries) {
      const { organisation_id: organisationId, decision } = row;
      const charges: unknown = decision.charges;
      if (organisationId === null || !Array.isArray(charges) || !fresh.has(row.id)) continue;
      const day = dayOf(row.created_at) * DAY_MS;
      for (const charge of charges.slice(0, CHARGES_MAX)) {
        if (isCharge(charge)) add(rows, organisationId, charge, day);
      }
    }
    const all = [...rows.values()];
    await addBalances(manager, all);
    return all.flatMap(({ organisationId, account }) => {
      const key = counterOfAccount(account);
      return key === null ? [] : [{ organisationId, key }];
    });
  }

  committed(touched: readonly TouchedBudget[]): void {
    if (touched.length > 0) this.onTouched(touched);
  }

  /** What budgets have used. A counter that is no budget's has used nothing that lasts. */
  async balances({ organisationId, counters }: BalancesRequest): Promise<BalancesAnswer['balances']> {
    const asked = counters.map(({ key, since }) => ({ account: accountOf(key), since }));
    const balances = await balancesOf(this.source.manager, organisationId, asked);
    return balances.map((balance, at) => {
      const counter = counters[at];
      const type = parseBudgetKey(counter?.key ?? '')?.type;
      return { period: counter?.since ?? 0, used: type === undefined ? 0 : Math.max(0, balance[type]) };
    });
  }
}

function add(rows: Map<string, LedgerRow>, organisationId: string, charge: ChargeRecord, day: number): void {
  for (const posting of postingsOf(charge, day)) {
    const account = storable(posting.account);
    const place = `${organisationId} ${account} ${String(posting.period)}`;
    const known = rows.get(place);
    rows.set(place, {
      organisationId,
      account,
      period: posting.period,
      cost: (known?.cost ?? 0) + posting.cost,
      tokens: (known?.tokens ?? 0) + posting.tokens,
      requests: (known?.requests ?? 0) + posting.requests,
    });
  }
}

/** Callers choose values that policies group by, and Postgres texts hold no NUL. */
const storable = (account: string): string => account.replaceAll('\0', '\uFFFD');

const accountOf = (key: string): string => storable(budgetAccount(key));

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A record must never be kept from being stored by what it says of charges. */
function isCharge(value: unknown): value is ChargeRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { line, provider, cost, tokens, requests, counters } = value as Partial<ChargeRecord>;
  return (
    typeof line === 'string' &&
    typeof provider === 'string' &&
    (cost === null || isCount(cost)) &&
    isCount(tokens) &&
    isCount(requests) &&
    Array.isArray(counters) &&
    counters.length <= COUNTERS_MAX &&
    counters.every(
      (counter: unknown) => Array.isArray(counter) && typeof counter[0] === 'string' && isCount(counter[1]),
    )
  );
}
