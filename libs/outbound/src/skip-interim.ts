import type { Socket } from 'node:net';

const INTERIM = Buffer.from('HTTP/1.1 1');
const STATUS_LENGTH = INTERIM.length + 2;
const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_MAX_BYTES = 8192;

/**
 * Takes the heads of interim answers (1xx but 101) out of what is read from the socket while an answer is awaited:
 * undici closes the connection at a `100 Continue` that it has not asked for, where HTTP tells clients to skip it.
 * A head over 8 KiB is passed on, and so ends the call.
 */
export function skipInterim(socket: Socket, awaitsAnswer: () => boolean): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let begun: Buffer | null = null;
  socket.read = (size?: number): Buffer | null => {
    // Node itself asks for nothing, to have the next piece fetched: what it got would be lost.
    if (size === 0) return read(0);
    for (;;) {
      const chunk = read();
      if (chunk === null || (begun === null && !awaitsAnswer())) return chunk;
      const bytes: Buffer = begun === null ? chunk : Buffer.concat([begun, chunk]);
      begun = null;
      const rest = afterInterim(bytes);
      if (rest === null) begun = bytes;
      else if (rest.length > 0) return rest;
    }
  };
}

/** What follows the interim heads at the beginning of `bytes`; null when the last of them is not complete. */
function afterInterim(bytes: Buffer): Buffer | null {
  let rest = bytes;
  while (rest.length > 0 && startsLikeInterim(rest)) {
    const end = rest.indexOf(HEAD_END);
    if (end === -1) return rest.length > HEAD_MAX_BYTES ? rest : null;
    rest = rest.subarray(end + HEAD_END.length);
  }
  return rest;
}

function startsLikeInterim(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, INTERIM.length);
  if (bytes.compare(INTERIM, 0, length, 0, length) !== 0) return false;
  return bytes.length < STATUS_LENGTH || bytes.toString('latin1', length, STATUS_LENGTH) !== '01';
}
