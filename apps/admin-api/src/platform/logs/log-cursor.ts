import { UUID } from '@gw/kernel';
import type { LogPosition } from '@gw/log-store';
import { invalid } from '@gw/web';

/** Encodes the position of a page's last row as an opaque cursor. */
export const encodeCursor = ({ createdAt, id }: LogPosition): string =>
  Buffer.from(`${String(createdAt.getTime())}.${id}`).toString('base64url');

/** Throws `validation_failed` for text that is not from `encodeCursor`. */
export function decodeCursor(cursor: string): LogPosition {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const createdAt = new Date(/^\d{1,15}$/.test(time) ? Number(time) : NaN);
  if (Number.isNaN(createdAt.getTime()) || !UUID.test(id))
    throw invalid('cursor', 'cursor is not valid; send the next_cursor of the previous page');
  return { createdAt, id };
}
