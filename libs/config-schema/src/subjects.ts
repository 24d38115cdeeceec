import { isForbiddenName } from './names';

/** The part of a request that a condition reads. */
export type Subject =
  | { readonly from: 'metadata'; readonly key: string }
  | { readonly from: 'params'; readonly members: readonly string[] }
  | { readonly from: 'headers'; readonly name: string }
  | { readonly from: 'pathname' }
  | { readonly from: 'model' }
  /** Features that the body requires of a model. */
  | { readonly from: 'demand'; readonly demand: Demand }
  /** Minutes since midnight, UTC. */
  | { readonly from: 'time_of_day' }
  | { readonly from: 'weekday' };

/**
 * Names of the demands of a body: an estimate of its tokens, and features that its model must have.
 */
export const DEMANDS = [
  'context_tokens',
  'has.image',
  'has.audio',
  'has.document',
  'has.tools',
  'needs.json_schema',
] as const;
export type Demand = (typeof DEMANDS)[number];

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const FIXED: Readonly<Record<string, Subject>> = {
  'url.pathname': Object.freeze({ from: 'pathname' }),
  model: Object.freeze({ from: 'model' }),
  'time.of_day': Object.freeze({ from: 'time_of_day' }),
  'time.weekday': Object.freeze({ from: 'weekday' }),
  ...Object.fromEntries(
    DEMANDS.map((demand) => [demand, Object.freeze({ from: 'demand', demand })] as const),
  ),
};

/** Parses the subject of a condition. Returns an error message for an invalid one; never throws. */
export function parseSubject(text: string): Subject | string {
  const fixed = Object.hasOwn(FIXED, text) ? FIXED[text] : undefined;
  return (
    fixed ??
    parseField(text) ??
    'A condition reads metadata.<key>, params.<path>, headers.<name>, url.pathname, model, time.of_day, time.weekday, ' +
      `${DEMANDS.slice(0, -1).join(', ')} or ${DEMANDS.at(-1) ?? ''}.`
  );
}

/** Parses a hash field. Returns an error message for an invalid one; never throws. */
export function parseHashField(text: string): Subject | string {
  return parseField(text) ?? 'Takes metadata.<key>, params.<path> or headers.<name>.';
}

function parseField(text: string): Subject | string | null {
  const dot = text.indexOf('.');
  const rest = text.slice(dot + 1);
  const root = dot < 0 ? '' : text.slice(0, dot);
  if (root === 'metadata' && rest !== '') return Object.freeze({ from: 'metadata', key: rest });
  if (root === 'headers' && rest !== '') return Object.freeze({ from: 'headers', name: rest.toLowerCase() });
  if (root !== 'params') return null;
  const members = rest.split('.');
  if (members.some((member) => member === '' || isForbiddenName(member))) {
    return 'Not a path into the request body.';
  }
  return Object.freeze({ from: 'params', members: Object.freeze(members) });
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Returns the minutes since midnight of `"HH:MM"`, NaN for anything else. */
export function minutesOf(value: unknown): number {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  return match ? Number(match[1]) * 60 + Number(match[2]) : NaN;
}
