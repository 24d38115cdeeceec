import { ONCE_MAX, type ChargeRecord, type DecisionRecord } from '@gw/contracts';

/** Maximum number of charges of one request; a gateway creates one for each billed attempt. */
const CHARGES_MAX = 64 + ONCE_MAX;
const COUNTERS_MAX = 512;
/** Maximum length of a text: an index entry of Postgres holds about 2,700 bytes. */
const TEXT_MAX = 640;
const HOLDER_MAX = 128;
const FLAGS = ['estimated', 'unpriced'] as const;

/** Returns the valid charges of a decision and ignores everything else. */
export function readableCharges(decision: unknown): readonly ChargeRecord[] {
  if (typeof decision !== 'object' || decision === null) return [];
  const { charges } = decision as { charges?: unknown };
  return Array.isArray(charges) ? charges.slice(0, CHARGES_MAX).filter(isCharge) : [];
}

/** Reduces a decision that cannot be stored in full to its charges, which budgets need. */
export function chargesAlone(decision: unknown): Pick<DecisionRecord, 'charges'> {
  const charges = readableCharges(decision).map(plain);
  return charges.length === 0 ? {} : { charges };
}

/** Copies only the members that a charge defines. */
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

/**
 * Returns whether the value is a valid charge. Never throws, because a malformed charge must not
 * prevent the record from being stored.
 */
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

/** Returns whether the value is a non-negative safe integer, so that sums stay exact. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
