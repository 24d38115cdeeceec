import {
  bodyLengths,
  bodyPlace,
  decodeLogBodies,
  readBodies,
  type ExportedLog,
  type LogBodies,
} from '@gw/log-store';
import type { ObjectStore } from '@gw/object-store';
import type { EntityManager } from 'typeorm';

/**
 * Maximum bytes of encoded bodies read from the database at a time; a larger body is read alone.
 */
const BYTES_AT_ONCE = 4 * 1_048_576;
/**
 * Number of cached packs. Gateways write at the same time, so neighbouring logs are in several
 * packs. Each holds a batch of at most 16 MiB.
 */
const PACKS_MAX = 4;
const NONE: LogBodies = { request: null, response: null };

/** Reads the bodies of logs in the order of the logs, a bounded number of bytes at a time. */
export class ExportBodies {
  private readonly packs = new Map<string, Buffer | null>();

  constructor(
    private readonly manager: EntityManager,
    private readonly store: ObjectStore | null,
  ) {}

  async *of(logs: readonly ExportedLog[]): AsyncGenerator<readonly [ExportedLog, LogBodies]> {
    const places = logs
      .filter(({ body_ref }) => body_ref === null)
      .map(({ id, position }) => ({ id, createdAt: position }));
    const lengths = places.length === 0 ? new Map<string, number>() : await bodyLengths(this.manager, places);
    for (let at = 0; at < logs.length;) {
      const group = firstOf(logs, at, lengths);
      const wanted = group
        .filter(({ id }) => lengths.has(id))
        .map(({ id, position }) => ({ id, createdAt: position }));
      const contents =
        wanted.length === 0 ? new Map<string, Buffer>() : await readBodies(this.manager, wanted);
      for (const log of group) {
        const encoded = contents.get(log.id) ?? (await this.packed(log.body_ref));
        yield [log, encoded === null ? NONE : decodeLogBodies(encoded)];
      }
      at += group.length;
    }
  }

  private async packed(reference: string | null): Promise<Buffer | null> {
    if (reference === null) return null;
    if (this.store === null) throw new Error('No object store is configured for the bodies of these logs.');
    const { key, offset, length } = bodyPlace(reference);
    let pack = this.packs.get(key);
    if (pack === undefined) {
      pack = await this.store.get(key);
      const [oldest] = this.packs.keys();
      if (this.packs.size >= PACKS_MAX && oldest !== undefined) this.packs.delete(oldest);
      this.packs.set(key, pack);
    }
    return pack === null ? null : pack.subarray(offset, offset + length);
  }
}

function firstOf(
  logs: readonly ExportedLog[],
  from: number,
  lengths: ReadonlyMap<string, number>,
): readonly ExportedLog[] {
  let bytes = 0;
  let end = from;
  for (; end < logs.length; end += 1) {
    bytes += lengths.get((logs[end] as ExportedLog).id) ?? 0;
    if (bytes > BYTES_AT_ONCE && end > from) break;
  }
  return logs.slice(from, end);
}
