/** A longer event is passed on as it is: it is no usage. */
const EVENT_BYTES_MAX = 65_536;
const MARK = Buffer.from('"usage"');
const LF_LF = Buffer.from('\n\n');
const CRLF_CRLF = Buffer.from('\r\n\r\n');
const NEW_LINE = 0x0a;
const EMPTY = Buffer.alloc(0);
/** In JSON no text can hold a quote without a backslash before it, so these are members and never content. */
const NO_USAGE = /,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,?/;

/**
 * Takes out of OpenAI's chat and completion streams what `stream_options.include_usage` adds to them: a `usage` of null in each
 * chunk, and the last chunk, which has usage and no choice. All other bytes stay. An event is handed on once it is whole.
 */
export class HiddenUsage {
  private held: Buffer | null = null;
  /** Inside an event that is too long to be looked at. */
  private passing = false;

  /** True while a part of an event is kept back, or was passed on without its end. */
  get isInsideEvent(): boolean {
    return this.held !== null || this.passing;
  }

  write(chunk: Buffer): Buffer {
    if (this.held === null && !this.passing && endsEvent(chunk) && !chunk.includes(MARK)) return chunk;
    const bytes = this.held === null ? chunk : Buffer.concat([this.held, chunk]);
    this.held = null;
    const end = endOfLastEvent(bytes);
    const whole = this.through(bytes.subarray(0, end));
    const rest = bytes.subarray(end);
    if (rest.length === 0) return whole;
    if (this.passing || rest.length > EVENT_BYTES_MAX) {
      this.passing = true;
      return Buffer.concat([whole, rest]);
    }
    this.held = rest;
    return whole;
  }

  /** What is kept back of an event that will not be whole. */
  flush(): Buffer {
    const rest = this.held ?? EMPTY;
    if (rest.length > 0) this.passing = true;
    this.held = null;
    return rest;
  }

  /** Whole events; the first one may be the end of one that is passed on. */
  private through(events: Buffer): Buffer {
    if (events.length === 0) return events;
    let from = 0;
    if (this.passing) {
      this.passing = false;
      from = endOfFirstEvent(events, 0);
    }
    if (!events.includes(MARK, from)) return events;
    const kept: Buffer[] = [events.subarray(0, from)];
    while (from < events.length) {
      const end = endOfFirstEvent(events, from);
      kept.push(withoutUsage(events.subarray(from, end)));
      from = end;
    }
    return Buffer.concat(kept);
  }
}

function withoutUsage(event: Buffer): Buffer {
  if (!event.includes(MARK)) return event;
  const text = event.toString('latin1');
  if (NO_USAGE.test(text)) return Buffer.from(text.replace(NO_USAGE, ''), 'latin1');
  return isUsageAlone(text) ? EMPTY : event;
}

function isUsageAlone(text: string): boolean {
  const data = /^data:(.*)$/m.exec(text)?.[1] ?? '';
  try {
    const { choices, usage } = JSON.parse(data) as { choices?: unknown; usage?: unknown };
    return typeof usage === 'object' && usage !== null && Array.isArray(choices) && choices.length === 0;
  } catch {
    return false;
  }
}

const endsEvent = (bytes: Buffer): boolean =>
  bytes.length > 1 &&
  bytes[bytes.length - 1] === NEW_LINE &&
  (bytes[bytes.length - 2] === NEW_LINE || bytes.subarray(-4).equals(CRLF_CRLF));

/** Index behind the blank line that ends the last whole event; 0 when there is none. */
const endOfLastEvent = (bytes: Buffer): number =>
  Math.max(behind(bytes.lastIndexOf(LF_LF), LF_LF), behind(bytes.lastIndexOf(CRLF_CRLF), CRLF_CRLF));

/** The same for the first one from `from` on, which there is. */
function endOfFirstEvent(bytes: Buffer, from: number): number {
  const ends = [behind(bytes.indexOf(LF_LF, from), LF_LF), behind(bytes.indexOf(CRLF_CRLF, from), CRLF_CRLF)];
  return Math.min(...ends.filter((end) => end > 0));
}

const behind = (at: number, mark: Buffer): number => (at < 0 ? 0 : at + mark.length);
