import { StreamRestorer, type StreamChannel } from '@gw/guardrails';
import { keyOf } from './stream-dialect';

/** The text of one channel since it was last closed: `raw` as received, `sent` as sent. */
interface ChannelText {
  readonly channel: StreamChannel;
  readonly restorer: StreamRestorer | null;
  raw: string;
  sent: string;
}

/** Maximum characters that are stored to recognise repetitions. */
const KEPT_LENGTH_MAX = 1_000_000;

/** Tracks the texts that a stream has sent, and restores placeholders in them. */
export class SentTexts {
  private readonly channels = new Map<string, ChannelText>();
  private readonly sentByRaw = new Map<string, string>();
  private length = 0;

  constructor(private readonly placeholders: ReadonlyMap<string, string> | null) {}

  /**
   * Adds text, `raw` as received and `passed` as guardrails released it. Returns the text to send.
   */
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

  /** Adds the rest of a channel, which completes its text. Returns the text to send. */
  close(channel: StreamChannel, passed: string): string {
    const said = this.of(channel);
    const sent = said.restorer === null ? passed : said.restorer.push(passed) + said.restorer.end();
    if (said.raw !== '') this.sentByRaw.set(said.raw, said.sent + sent);
    said.raw = said.sent = '';
    return sent;
  }

  /**
   * Returns the text that was sent for a text which the stream repeats as a whole; empty for a text
   * that was never streamed.
   */
  sentFor(text: string): string {
    return this.sentByRaw.get(text) ?? '';
  }

  openChannels(): readonly StreamChannel[] {
    return [...this.channels.values()].map(({ channel }) => channel);
  }

  private of(channel: StreamChannel): ChannelText {
    const key = keyOf(channel);
    const known = this.channels.get(key);
    if (known) return known;
    const { placeholders } = this;
    const restorer = placeholders === null ? null : new StreamRestorer(placeholders);
    const said: ChannelText = { channel, restorer, raw: '', sent: '' };
    this.channels.set(key, said);
    return said;
  }
}
