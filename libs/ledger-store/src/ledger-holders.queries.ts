import type { EntityManager } from 'typeorm';
import type { LedgerBalance, LedgerRow } from './ledger.queries';

export interface HolderRow extends LedgerRow {
  /** The name under which a gateway counts. */
  readonly holder: string;
}

export interface HeldBalance extends LedgerBalance {
  /** The part of the balance that corrections of prices have made; see `PRICE_CORRECTIONS`. */
  readonly adjusted: Omit<LedgerBalance, 'account'>;
  readonly holders: readonly (Omit<LedgerBalance, 'account'> & {
    readonly holder: string;
    /** Charged in the last two days. */
    readonly isRecent: boolean;
  })[];
}

/** In place of a holder: what corrections of prices have added to a balance, or taken from it. No holder has this name, and it is kept for good. */
export const PRICE_CORRECTIONS = '~prices';

/** Gateways use a name for half a day, and counters forget one that is silent after two and a half: see `FORGET_HOLDER_MS` of the ledger. */
const RECENT = `interval '2 days'`;
/** A holder without charges for so long is part of the balance alone. */
const KEPT = `interval '5 days'`;
/** Maximum number of holders of one account; the newest are kept. */
const HOLDERS_MAX = 1_000;

/** Adds to the parts of balances, in the transaction that adds to the balances themselves. At most one row for each of its keys. */
export async function addHolders(manager: EntityManager, rows: readonly HolderRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO ledger_holders AS known (organisation_id, account, period, holder, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
     ON CONFLICT (organisation_id, account, period, holder) DO UPDATE SET
       cost = known.cost + excluded.cost,
       tokens = known.tokens + excluded.tokens,
       requests = known.requests + excluded.requests,
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
 * Returns the charges to accounts in the periods from `since` on, with their holders, in order. One
 * statement: all values are of one moment.
 */
export async function heldBalancesOf(
  manager: EntityManager,
  organisationId: string,
  requested: readonly { readonly account: string; readonly since: number }[],
): Promise<HeldBalance[]> {
  if (requested.length === 0) return [];
  const rows: HeldRow[] = await manager.query(
    `SELECT wanted.account, sums.cost, sums.tokens, sums.requests, corrections.adjusted,
       coalesce(parts.holders, '[]') AS holders
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(cost), 0) AS cost, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(requests), 0) AS requests
       FROM ledger_balances AS known
       WHERE known.organisation_id = $1 AND known.account = wanted.account AND known.period >= wanted.since
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
           AND part.updated_at > now() - ${KEPT} AND part.holder <> $4
         GROUP BY holder ORDER BY max(part.updated_at) DESC LIMIT ${String(HOLDERS_MAX)}
       ) AS newest
     ) AS parts
     ORDER BY wanted.place`,
    [
      organisationId,
      requested.map(({ account }) => account),
      requested.map(({ since }) => since),
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

/** Parts that no gateway counts under its name any more. */
export async function forgetHolders(manager: EntityManager): Promise<void> {
  await manager.query(`DELETE FROM ledger_holders WHERE updated_at <= now() - ${KEPT} AND holder <> $1`, [
    PRICE_CORRECTIONS,
  ]);
}

type Part = HeldBalance['holders'][number];

interface HeldRow extends Texts {
  readonly account: string;
  readonly adjusted: Texts;
  readonly holders: readonly (Texts & Pick<Part, 'holder' | 'isRecent'>)[];
}

interface Texts {
  readonly cost: string;
  readonly tokens: string;
  readonly requests: string;
}

const amountOf = ({ cost, tokens, requests }: Texts): Omit<LedgerBalance, 'account'> => ({
  cost: Number(cost),
  tokens: Number(tokens),
  requests: Number(requests),
});

const orderOf = ({ organisationId, account, period, holder }: HolderRow): string =>
  `${organisationId} ${account} ${String(period)} ${holder}`;
