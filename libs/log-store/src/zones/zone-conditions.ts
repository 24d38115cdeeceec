import { ZONE_BOUNDS_COLUMNS, ZONE_TERM_COLUMNS } from '../rows/log-columns';
import type { LogFilter } from '../pages/log-conditions';
import { mergeTerms, noTerms, statusClass, termOf, TERMS_BITS, termsText } from './log-terms';
import type { Terms } from './log-terms';

type Bind = (value: unknown) => string;

/**
 * Yields conditions on columns of `log_zones` that every zone with a matching log meets. Filters on
 * values that zones do not hold (metadata, feedback, texts that differ in each log) yield none.
 */
export function* zoneConditions(filter: LogFilter, bind: Bind): Generator<string> {
  for (const name of ZONE_BOUNDS_COLUMNS) {
    const { min, max } = filter.ranges[name] ?? {};
    if (min !== undefined) yield `${name}_high >= ${bind(min)}::double precision`;
    if (max !== undefined) yield `${name}_low <= ${bind(max)}::double precision`;
  }
  // One condition checks all terms that a zone must have.
  const all = noTerms();
  for (const alternatives of termsOf(filter)) {
    const [only] = alternatives;
    if (alternatives.length === 1 && only) mergeTerms(all, only);
    else yield `(${alternatives.map((terms) => holds(terms, bind)).join(' OR ') || 'FALSE'})`;
  }
  if (all.some((bits) => bits !== 0)) yield holds(all, bind);
}

const BITS = `bit(${String(TERMS_BITS)})`;

function holds(terms: Terms, bind: Bind): string {
  const wanted = `${bind(termsText(terms))}::${BITS}`;
  return `(terms & ${wanted}) = ${wanted}`;
}

/** Yields, for each filter that is set, the terms of which a matching log has at least one. */
function* termsOf({
  owner,
  values,
  statuses,
  streamed,
  providerModels = [],
}: LogFilter): Generator<readonly Terms[]> {
  if (typeof owner.userId === 'string') yield [termOf('user_id', owner.userId)];
  for (const name of ZONE_TERM_COLUMNS) {
    if (name === 'streamed' || name === 'status') continue;
    const wanted = values[name];
    if (wanted) yield wanted.map((value) => termOf(name, value));
  }
  if (statuses.length > 0 && statuses.every(([from, to]) => to - from < STATUSES_MAX))
    yield statuses.flatMap(([from, to]) => statusTerms(from, to));
  if (streamed !== null) yield [termOf('streamed', String(streamed))];
  if (providerModels.length > 0)
    yield providerModels.map(([provider, model]) => {
      const terms = termOf('provider', provider);
      mergeTerms(terms, termOf('model', model));
      return terms;
    });
}

/** Statuses per range up to which terms are checked; wider ranges exclude too few zones. */
const STATUSES_MAX = 1_000;

function statusTerms(from: number, to: number): Terms[] {
  if (from === to) return [termOf('status', String(from))];
  const terms: Terms[] = [];
  for (let hundred = Math.floor(from / 100); hundred <= Math.floor(to / 100); hundred += 1)
    terms.push(termOf('status', statusClass(hundred * 100)));
  return terms;
}
