import { GatewayError } from '@gw/kernel';
import { bodyPlace, decodeLogBodies, type LogBodies, type StoredRequestLogDetail } from '@gw/log-store';
import type { ObjectStore } from '@gw/object-store';

const NONE: LogBodies = { request: null, response: null };

/** Reads the bodies of a log from the database or the object store. */
export class LogBodiesReader {
  constructor(private readonly store: ObjectStore | null) {}

  /**
   * Returns the bodies of a log. Throws `unavailable` when the store with the bodies fails or is no
   * longer configured.
   */
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
  new GatewayError('unavailable', {
    message: 'The store of logged bodies cannot be read; try again later.',
    cause,
  });
