import { StreamRestorer, type StreamChannel } from '@gw/guardrails';
import { keyOf } from './stream-dialect';

/** The text of one channel since it was last closed: as received, and as sent. */
interface Said {
  readonly channel: StreamChannel;
  readonly restorer: StreamRestorer | null;
  raw: string;
  sent: string;
}

/** Maximum characters remembered to recognise repetitions. */
const KEPT_LENGTH_MAX = 1_000_000;

/** Tracks what a stream has sent of its texts, and restores placeholders. */
export class SaidTexts {
  private readonly channels = new Map<string, Said>();
  private readonly sentOf = new Map<string, string>();
  private length = 0;

  constructor(private readonly placeholders: ReadonlyMap<string, string> | null) {}

  /** Adds text: `raw` as received, `passed` as guardrails released it. Returns what is sent. */
  add(channel: StreamChannel, raw: string, passed: string): string {
    const said = this.of(channel);
    const sent = said.restorer === null ? passed : said.restorer.push(passed);
    this.length += raw.length;
    if (this.length <= KEPT_LENGTH_MAX) {
      said.raw += raw;
      said.sent += sent;
    }
    return sent;
  }

  /** Adds the rest of a channel, which completes its text. Returns what is sent. */
  close(channel: StreamChannel, passed: string): string {
    const said = this.of(channel);
    const sent = said.restorer === null ? passed : said.restorer.push(passed) + said.restorer.end();
    if (said.raw !== '') this.sentOf.set(said.raw, said.sent + sent);
    said.raw = said.sent = '';
    return sent;
  }

  /** Part already sent of a text that the stream repeats as a whole; empty for a text that was never streamed. */
  sentFor(text: string): string {
    return this.sentOf.get(text) ?? '';
  }

  open(): readonly StreamChannel[] {
    return [...this.channels.values()].map(({ channel }) => channel);
  }

  private of(channel: StreamChannel): Said {
    const key = keyOf(channel);
    const known = this.channels.get(key);
    if (known) return known;
    const { placeholders } = this;
    const restorer = placeholders === null ? null : new StreamRestorer(placeholders);
    const said: Said = { channel, restorer, raw: '', sent: '' };
    this.channels.set(key, said);
    return said;
  }
}
