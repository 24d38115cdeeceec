import type { StreamEvent } from '../response';
import { BROKEN_STREAM } from '../stream/decoder-base';

type BlockEvent = Extract<StreamEvent, { readonly i: number }>;

/** Maximum number of characters of all waiting events. */
const HELD_MAX = 1024 * 1024;
/** Number of characters that an event counts in addition to its text. */
const EVENT_SIZE = 64;

/**
 * Queues events of blocks that were opened while another block is open, because clients accept only
 * one open block.
 */
export class HeldBlocks {
  static readonly OVERFLOW: StreamEvent = { t: 'error', fault: BROKEN_STREAM };

  /** Events of each waiting block, in the order in which the blocks were opened. */
  private readonly blocks = new Map<number, BlockEvent[]>();
  private size = 0;

  /** Returns whether there is room for the event. Events of unknown blocks are dropped. */
  add(event: BlockEvent): boolean {
    const events = this.blocks.get(event.i);
    if (events === undefined && event.t !== 'open') return true;
    this.size += EVENT_SIZE + sizeOf(event);
    if (events === undefined) this.blocks.set(event.i, [event]);
    else events.push(event);
    return this.size <= HELD_MAX;
  }

  /** Removes and returns the events of the next block; empty when no block waits. */
  nextBlock(): readonly BlockEvent[] {
    for (const [i, events] of this.blocks) {
      this.blocks.delete(i);
      for (const event of events) this.size -= EVENT_SIZE + sizeOf(event);
      return events;
    }
    return [];
  }
}

function sizeOf(event: BlockEvent): number {
  switch (event.t) {
    case 'text':
      return event.text.length;
    case 'args':
      return event.json.length;
    case 'data':
      return event.base64.length;
    case 'open':
    case 'seal':
    case 'cite':
      return JSON.stringify(event).length;
    case 'logprobs':
    case 'close':
      return 0;
  }
}
