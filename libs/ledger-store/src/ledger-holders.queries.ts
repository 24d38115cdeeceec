import type { EntityManager } from 'typeorm';
import type { LedgerBalance, LedgerRow } from './ledger.queries';

export interface HolderRow extends LedgerRow {
  /** Name under which a gateway process counts charges. */
  readonly holder: string;
}

export interface HeldBalance extends LedgerBalance {
  /**
   * The part of the balance that price corrections have added or removed; see `PRICE_CORRECTIONS`.
   */
  readonly adjusted: Omit<LedgerBalance, 'account'>;
  readonly holders: readonly (Omit<LedgerBalance, 'account'> & {
    readonly holder: string;
    /** Whether the holder charged the account in the last two days. */
    readonly isRecent: boolean;
  })[];
}

/**
 * Name in place of a holder for the sums that price corrections have added to a balance or removed
 * from it. No gateway uses this name, and these rows are never deleted.
 */
export const PRICE_CORRECTIONS = '~prices';

/**
 * A holder without charges for longer is not recent. Gateways use a name for half a day, and
 * counters forget a silent holder after two and a half days: see `FORGET_HOLDER_MS` of the ledger.
 */
const RECENT = `interval '2 days'`;
/** A holder without charges for longer counts only in the balance; its own row is deleted. */
const RETENTION = `interval '5 days'`;
/** Maximum number of holders returned for one account: the most recently updated ones. */
const HOLDERS_MAX = 1_000;

/**
 * Adds charges to the holders' parts of balances, in the transaction that adds them to the
 * balances. `rows` must hold at most one row for each organisation, account, period and holder.
 */
export async function addHolders(manager: EntityManager, rows: readonly HolderRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO ledger_holders AS stored (organisation_id, account, period, holder, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
     ON CONFLICT (organisation_id, account, period, holder) DO UPDATE SET
       cost = stored.cost + excluded.cost,
       tokens = stored.tokens + excluded.tokens,
       requests = stored.requests + excluded.requests,
       updated_at = now()`,
    [
      sorted.map(({ organisationId }) => organisationId),
      sorted.map(({ account }) => account),
      sorted.map(({ period }) => period),
      sorted.map(({ holder }) => holder),
      sorted.map(({ cost }) => cost),
      sorted.map(({ tokens }) => tokens),
      sorted.map(({ requests }) => requests),
    ],
  );
}

/**
 * Returns the balances of accounts in the periods that begin at `since` or later, with the parts of
 * their holders, in the order of `accounts`. One statement reads all values, so that they are
 * consistent.
 */
export async function heldBalancesOf(
  manager: EntityManager,
  organisationId: string,
  accounts: readonly { readonly account: string; readonly since: number }[],
): Promise<HeldBalance[]> {
  if (accounts.length === 0) return [];
  const rows: HeldRow[] = await manager.query(
    `SELECT wanted.account, sums.cost, sums.tokens, sums.requests, corrections.adjusted,
       coalesce(parts.holders, '[]') AS holders
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(cost), 0) AS cost, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(requests), 0) AS requests
       FROM ledger_balances AS stored
       WHERE stored.organisation_id = $1 AND stored.account = wanted.account AND stored.period >= wanted.since
     ) AS sums
     CROSS JOIN LATERAL (
       SELECT json_build_object('cost', coalesce(sum(cost), 0)::text, 'tokens', coalesce(sum(tokens), 0)::text,
         'requests', coalesce(sum(requests), 0)::text) AS adjusted
       FROM ledger_holders AS part
       WHERE part.organisation_id = $1 AND part.account = wanted.account AND part.period >= wanted.since
         AND part.holder = $4
     ) AS corrections
     CROSS JOIN LATERAL (
       SELECT json_agg(json_build_object('holder', holder, 'cost', cost::text, 'tokens', tokens::text,
         'requests', requests::text, 'isRecent', is_recent)) AS holders
       FROM (
         SELECT holder, max(part.updated_at) > now() - ${RECENT} AS is_recent, sum(cost) AS cost, sum(tokens) AS tokens, sum(requests) AS requests
         FROM ledger_holders AS part
         WHERE part.organisation_id = $1 AND part.account = wanted.account AND part.period >= wanted.since
           AND part.updated_at > now() - ${RETENTION} AND part.holder <> $4
         GROUP BY holder ORDER BY max(part.updated_at) DESC LIMIT ${String(HOLDERS_MAX)}
       ) AS newest
     ) AS parts
     ORDER BY wanted.place`,
    [
      organisationId,
      accounts.map(({ account }) => account),
      accounts.map(({ since }) => since),
      PRICE_CORRECTIONS,
    ],
  );
  return rows.map(({ account, holders, adjusted, ...sums }) => ({
    account,
    ...amountOf(sums),
    adjusted: amountOf(adjusted),
    holders: holders.map(({ holder, isRecent, ...part }) => ({ holder, isRecent, ...amountOf(part) })),
  }));
}

/** Deletes the parts of holders that have not charged for five days. */
export async function forgetHolders(manager: EntityManager): Promise<void> {
  await manager.query(
    `DELETE FROM ledger_holders WHERE updated_at <= now() - ${RETENTION} AND holder <> $1`,
    [PRICE_CORRECTIONS],
  );
}

type HolderPart = HeldBalance['holders'][number];

interface HeldRow extends AmountTexts {
  readonly account: string;
  readonly adjusted: AmountTexts;
  readonly holders: readonly (AmountTexts & Pick<HolderPart, 'holder' | 'isRecent'>)[];
}

interface AmountTexts {
  readonly cost: string;
  readonly tokens: string;
  readonly requests: string;
}

const amountOf = ({ cost, tokens, requests }: AmountTexts): Omit<LedgerBalance, 'account'> => ({
  cost: Number(cost),
  tokens: Number(tokens),
  requests: Number(requests),
});

const orderOf = ({ organisationId, account, period, holder }: HolderRow): string =>
  `${organisationId} ${account} ${String(period)} ${holder}`;
