import type { CapabilityType } from './capability';
import type { Finding } from './finding';
import { foldedText } from './text-signs';

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Returns the first name for each visual form; an empty text when several names look the same. */
export function looksOf(names: Iterable<string>): ReadonlyMap<string, string> {
  const looks = new Map<string, string>();
  for (const name of names) {
    const look = lookOf(name);
    looks.set(look, looks.has(look) ? '' : name);
  }
  return looks;
}

/** Types whose names callers write. */
const NAMED: ReadonlySet<CapabilityType> = new Set(['tool', 'prompt', 'skill']);

/**
 * Findings on the name of a tool, prompt or skill: characters that other names are imitated with,
 * and names that look like another one of the same server.
 */
export function nameFindings(
  name: string,
  type: CapabilityType,
  ownLooks: ReadonlyMap<string, string>,
): readonly Finding[] {
  if (!NAMED.has(type)) return [];
  const found: Finding[] = [];
  if (!PLAIN_NAME.test(name)) {
    // A name that looks like plain ASCII and is not imitates one.
    const isImitation = PLAIN_NAME.test(foldedText(name).trim());
    found.push({ rule: 'unusual_name', severity: isImitation ? 'high' : 'warn' });
  }
  const twin = ownLooks.get(lookOf(name));
  if (twin !== undefined && twin !== name) found.push({ rule: 'look_alike_name', severity: 'high' });
  return found;
}

const lookOf = (name: string): string =>
  foldedText(name.slice(0, 256))
    .replace(/[\s_.-]/g, '')
    .replace(/[l1]/g, 'i')
    .replace(/0/g, 'o');
