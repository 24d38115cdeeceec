import { uuidv7 } from '@gw/kernel';
import type { IncomingMessage } from 'node:http';
import { HEADER } from '@gw/contracts';

const ACCEPTABLE = /^[a-zA-Z0-9_.:-]{1,128}$/;

/**
 * Returns the caller's request id if it is a plain token of at most 128 characters, otherwise a new
 * id.
 */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[HEADER.requestId];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : uuidv7();
}
