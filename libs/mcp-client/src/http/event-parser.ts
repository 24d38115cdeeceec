import { EventParser, type ResponseMemory } from '@gw/outbound';
import { UPSTREAM_BOUNDS } from '../limits';
import { noMemory, tooLarge } from '../upstream-error';

/**
 * Creates a parser for an event stream of an upstream. It throws `too_large` for an event over the
 * bound, and `no_memory`.
 */
export const eventParser = (memory: ResponseMemory | null): EventParser =>
  new EventParser(UPSTREAM_BOUNDS.messageBytesMax, tooLarge, memory && { memory, noMemory });
