import { EventParser } from '@gw/outbound';
import { UPSTREAM_BOUNDS } from '../limits';
import { tooLarge } from '../upstream-error';

/** A parser of an event stream of an upstream. It throws `too_large` for an event over the bound. */
export const eventParser = (): EventParser => new EventParser(UPSTREAM_BOUNDS.messageBytesMax, tooLarge);
