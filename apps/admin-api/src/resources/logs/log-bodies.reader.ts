import { GatewayError } from '@gw/kernel';
import { bodyPlace, decodeLogBodies, type LogBodies, type StoredRequestLogDetail } from '@gw/log-store';
import type { ObjectStore } from '@gw/object-store';

const NONE: LogBodies = { request: null, response: null };

/** Brings the bodies of a log back, wherever they are. */
export class LogBodiesReader {
  constructor(private readonly store: ObjectStore | null) {}

  /** Throws `unavailable` while the store that has them fails, or is no longer set up. */
  async of(log: Pick<StoredRequestLogDetail, 'body_ref' | 'content'>): Promise<LogBodies> {
    if (log.content !== null) return decodeLogBodies(log.content);
    if (log.body_ref === null) return NONE;
    const { key, offset, length } = bodyPlace(log.body_ref);
    if (this.store === null) throw unavailable();
    const bytes = await this.store.get(key, { offset, length }).catch((error: unknown) => {
      throw unavailable(error);
    });
    return bytes === null ? NONE : decodeLogBodies(bytes);
  }
}

const unavailable = (cause?: unknown): GatewayError =>
  new GatewayError('unavailable', { message: 'The store of logged bodies can not be read.', cause });
