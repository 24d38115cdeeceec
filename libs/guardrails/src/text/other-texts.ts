import { NO_TEXT } from './items';
import { isNoText } from './no-text';
import { BodyTooLarge, PassageCollector, type Passage } from './passages';

/** A member of an event, with all below it. */
export interface Member {
  readonly holder: object;
  readonly key: string;
}

/**
 * Returns the texts of an event outside of the members that are `known`, and the names of members
 * that are texts; null when it has more than guardrails can judge.
 */
export function otherTexts(event: object, known: Iterable<Member>): readonly Passage[] | null {
  const collector = new PassageCollector();
  for (const { holder, key } of known) collector.skip(holder, key);
  try {
    collector.rest(event);
  } catch (error) {
    if (error instanceof BodyTooLarge) return null;
    throw error;
  }
  return collector.passages();
}

/** Whether a member of a value that is judged as JSON is left out: it has ids and sealed data alone. */
export const isLeftOut = (name: string, value: unknown): boolean =>
  NO_TEXT.has(name) && !hasText(name, value);

const hasText = (name: string, value: unknown): boolean =>
  typeof value === 'string'
    ? !isNoText(name, value)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([key, item]) => hasText(key, item));
