/** Texts that `$as` remembers, by name. */
type Remembered = Map<string, string>;

/**
 * Compares a value with the matchers of `testdata/dialects.json`. Returns the mismatches as `path:
 * reason`; empty when `actual` contains all of `expected`.
 */
export function mismatches(
  expected: unknown,
  actual: unknown,
  remembered: Remembered = new Map(),
  path = '',
): string[] {
  const at = path === '' ? '(root)' : path;
  if (isRecord(expected)) {
    const isMatcher = Object.keys(expected).some((name) => name.startsWith('$'));
    return isMatcher
      ? matcher(expected, actual, remembered, at)
      : recordMismatches(expected, actual, remembered, path);
  }
  if (Array.isArray(expected)) return listMismatches(expected, actual, remembered, path);
  if (expected === null && actual === undefined) return [`${at}: absent instead of null`];
  // 0 and -0 count as the same number.
  return expected === actual ? [] : [`${at}: ${show(actual)} instead of ${show(expected)}`];
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function recordMismatches(
  expected: Record<string, unknown>,
  actual: unknown,
  remembered: Remembered,
  path: string,
): string[] {
  if (!isRecord(actual)) return [`${path}: ${show(actual)} is not an object`];
  return Object.keys(expected).flatMap((name) =>
    mismatches(expected[name], actual[name], remembered, below(path, name)),
  );
}

function listMismatches(
  expected: readonly unknown[],
  actual: unknown,
  remembered: Remembered,
  path: string,
): string[] {
  if (!Array.isArray(actual)) return [`${path}: ${show(actual)} is not a list`];
  if (actual.length !== expected.length) {
    return [`${path}: ${String(actual.length)} items instead of ${String(expected.length)}: ${show(actual)}`];
  }
  return expected.flatMap((item, index) =>
    mismatches(item, actual[index], remembered, below(path, String(index))),
  );
}

type Matcher = (
  argument: unknown,
  actual: unknown,
  remembered: Remembered,
  expected: Record<string, unknown>,
) => boolean;

const MATCHERS: Readonly<Record<string, Matcher>> = {
  $any: (_argument, actual) => actual !== undefined,
  $str: (_argument, actual) => typeof actual === 'string' && actual !== '',
  $int: (_argument, actual) => Number.isInteger(actual) && Number(actual) >= 0,
  $re(argument, actual, remembered, expected) {
    if (typeof actual !== 'string' || !new RegExp(String(argument)).test(actual)) return false;
    if (typeof expected['$as'] === 'string') remembered.set(expected['$as'], actual);
    return true;
  },
  $same: (argument, actual, remembered) => actual === remembered.get(String(argument)),
  $json: (argument, actual) =>
    typeof actual === 'string' && show(sorted(parsed(actual))) === show(sorted(argument)),
  $oneOf: (argument, actual, remembered) =>
    (argument as unknown[]).some((option) => mismatches(option, actual, remembered).length === 0),
  $unordered(argument, actual, remembered) {
    const items = argument as unknown[];
    const found: readonly unknown[] = Array.isArray(actual) ? actual : [];
    const fits = (item: unknown): boolean =>
      found.some((value) => mismatches(item, value, remembered).length === 0);
    return found.length === items.length && items.every(fits);
  },
};

function matcher(
  expected: Record<string, unknown>,
  actual: unknown,
  remembered: Remembered,
  at: string,
): string[] {
  const name = Object.keys(expected).find((key) => key in MATCHERS);
  const matches = name === undefined ? undefined : MATCHERS[name];
  if (name === undefined || matches === undefined)
    throw new Error(`Unknown matcher ${Object.keys(expected).join(', ')}`);
  return matches(expected[name], actual, remembered, expected)
    ? []
    : [`${at}: ${show(actual)} does not fit ${show(expected)}`];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the dotted paths of `absent` that exist in `actual`. */
export const present = (absent: readonly string[], actual: unknown): string[] =>
  absent.filter(
    (path) =>
      path
        .split('.')
        .reduce<unknown>(
          (value, name) => (value as Record<string, unknown> | undefined | null)?.[name],
          actual,
        ) !== undefined,
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const show = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value));

/** Returns the value with sorted members in all objects. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
