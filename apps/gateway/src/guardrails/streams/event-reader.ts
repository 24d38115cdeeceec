import { otherTexts, type Passage, type StreamChannel } from '@gw/guardrails';
import type { JsonObject } from '@gw/providers';
import { LRUCache } from 'lru-cache';
import { textAt, type EventText, type ReadEvent, type StreamDialect } from './stream-dialect';
import { isTooDeep } from './structured-text';

/** Maximum characters of texts by which repetitions are recognised. */
const KEPT_LENGTH_MAX = 65_536;
/** Maximum channels of one kind; further texts are judged together with earlier ones. */
const CHANNELS_MAX = 512;

/** Reads all texts of the events of one response, also those in members that no dialect has. */
export class EventReader {
  /** Texts that were read. Some providers repeat a member in each event. */
  private readonly known = new LRUCache<string, true>({
    maxSize: KEPT_LENGTH_MAX,
    sizeCalculation: (_, text) => text.length,
  });
  private readonly counts = { rest: 0, rest_name: 0 };

  constructor(private readonly dialect: Pick<StreamDialect, 'read'>) {}

  /**
   * Reads an event, which it does not change. Returns null for an event that cannot be judged: it
   * has too many texts, or is nested so deeply that its texts cannot be found and that writing it
   * could exceed the stack.
   */
  read(body: JsonObject): ReadEvent | null {
    if (isTooDeep(body)) return null;
    const read = this.dialect.read(body);
    // The message of an error is not judged.
    if (read.role === 'error') return read;
    const found = otherTexts(body, [...read.texts, ...read.repeats, ...(read.notTexts ?? [])]);
    if (found === null) return null;
    return found.length === 0 ? read : this.withOthers(read, found);
  }

  private withOthers(read: ReadEvent, found: readonly Passage[]): ReadEvent {
    const texts: EventText[] = [];
    const repeats: EventText[] = [];
    for (const { holder, key, text, isName = false } of found) {
      const kind = isName ? 'rest_name' : 'rest';
      const isKnown = this.known.has(`${kind} ${text}`);
      this.known.set(`${kind} ${text}`, true);
      if (isKnown && isName) continue;
      const channel: StreamChannel = isKnown ? { ...REPEATED, kind } : this.next(kind);
      const member = { holder, key: String(key) };
      const each = isName
        ? [{ ...member, channel, text, set: keepName }]
        : textAt(holder as JsonObject, member.key, channel);
      (isKnown ? repeats : texts).push(...each);
    }
    return {
      ...read,
      texts: [...texts, ...read.texts],
      closes: [...texts.map(({ channel }) => channel), ...read.closes],
      isTextAlone: false,
      repeats: [...read.repeats, ...repeats],
    };
  }

  private next(kind: 'rest' | 'rest_name'): StreamChannel {
    const index = this.counts[kind];
    this.counts[kind] = (index + 1) % CHANNELS_MAX;
    return { choice: 0, kind, index };
  }
}

/** Channel of a repeated text, which is not judged again. */
const REPEATED = { choice: 0, index: 0 };

/** The name of a member is never replaced. */
const keepName = (): void => undefined;
