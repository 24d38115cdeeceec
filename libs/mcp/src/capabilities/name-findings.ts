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

/** Types of capabilities that callers call by name. */
const NAMED: ReadonlySet<CapabilityType> = new Set(['tool', 'prompt', 'skill']);

/**
 * Returns findings on the name of a tool, prompt or skill: characters that can imitate other names,
 * and a name that looks like another name of the same server.
 */
export function nameFindings(
  name: string,
  type: CapabilityType,
  ownLooks: ReadonlyMap<string, string>,
): readonly Finding[] {
  if (!NAMED.has(type)) return [];
  const found: Finding[] = [];
  if (!PLAIN_NAME.test(name)) {
    // A name that looks like a plain ASCII name but is not one imitates it.
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
