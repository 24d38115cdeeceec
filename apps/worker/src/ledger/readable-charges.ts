import { ONCE_MAX, type ChargeRecord, type DecisionRecord } from '@gw/contracts';

/** Charges of one request; a gateway makes one for each attempt that was billed. */
const CHARGES_MAX = 64 + ONCE_MAX;
const COUNTERS_MAX = 512;
/** Accounts are named by these texts, and an index entry of Postgres holds some 2,700 bytes. */
const TEXT_MAX = 640;
const HOLDER_MAX = 128;
const FLAGS = ['estimated', 'unpriced'] as const;

/** The charges of a decision that can be entered, whatever else it says. */
export function readableCharges(decision: unknown): readonly ChargeRecord[] {
  if (typeof decision !== 'object' || decision === null) return [];
  const { charges } = decision as { charges?: unknown };
  return Array.isArray(charges) ? charges.slice(0, CHARGES_MAX).filter(isCharge) : [];
}

/** Of a decision that can't be stored whole: what was charged, which budgets go by. */
export function chargesAlone(decision: unknown): Pick<DecisionRecord, 'charges'> {
  const charges = readableCharges(decision).map(plain);
  return charges.length === 0 ? {} : { charges };
}

/** Its known members alone. */
const plain = ({
  line,
  provider,
  cost,
  tokens,
  requests,
  flags,
  once,
  counters,
}: ChargeRecord): ChargeRecord => ({
  ...{ line, provider, cost, tokens, requests },
  flags: FLAGS.filter((flag) => Array.isArray(flags) && flags.includes(flag)),
  ...(isText(once) && { once }),
  counters: counters.map(([key, period, holder]) =>
    holder === undefined ? ([key, period] as const) : ([key, period, holder] as const),
  ),
});

/** A record must never be kept from being stored by what it says of charges. */
export function isCharge(value: unknown): value is ChargeRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { line, provider, cost, tokens, requests, counters } = value as Partial<ChargeRecord>;
  return (
    isText(line) &&
    isText(provider) &&
    (cost === null || isCount(cost)) &&
    isCount(tokens) &&
    isCount(requests) &&
    Array.isArray(counters) &&
    counters.length <= COUNTERS_MAX &&
    counters.every(isCounter)
  );
}

const isCounter = (counter: unknown): boolean =>
  Array.isArray(counter) &&
  isText(counter[0]) &&
  isCount(counter[1]) &&
  (counter[2] === undefined || (isText(counter[2]) && counter[2].length <= HOLDER_MAX));

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= TEXT_MAX;

/** A whole number that no sum loses. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
