import { endOfFirstEvent, WholeEvents } from './whole-events';

const MARK = Buffer.from('"usage"');
const EMPTY = Buffer.alloc(0);
/**
 * In JSON a quote inside a text has a backslash before it, so these match members and never
 * content.
 */
const NO_USAGE = /,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,?/;

/**
 * Removes the parts that `stream_options.include_usage` adds to OpenAI's chat and completion
 * streams: a null `usage` in each chunk, and the last chunk, which has usage and no choice. All
 * other bytes stay unchanged.
 */
export class HiddenUsage extends WholeEvents {
  protected override through(events: Buffer, isTail: boolean): Buffer {
    // An event that is too long to be held is not a usage event.
    let from = isTail ? endOfFirstEvent(events, 0) : 0;
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
