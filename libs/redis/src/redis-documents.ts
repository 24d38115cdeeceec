import { documentRedisKey, type DocumentKey, type ReadModelDocument } from '@gw/contracts';
import type { Redis } from 'ioredis';

export interface StoredCopy {
  readonly key: DocumentKey;
  /** Null: there is no such document. */
  readonly document: ReadModelDocument | null;
  /** The newest sequence that the copy includes. */
  readonly sequence: number;
}

interface Entry {
  readonly key: DocumentKey;
  readonly sequence: number;
  readonly ttlSeconds: number;
  readonly text: string;
}

const DOCUMENT_TTL_S = 7 * 24 * 3_600;
/** Long enough to outlive every read that began before the document was removed. */
const ABSENT_TTL_S = 3_600;
const PUBLISHED_KEY = 'gw:events:published';

/**
 * Writes copies, but never over a newer one, so that a slow writer cannot restore a replaced
 * document. The sequence is at the start of the text, so that it is compared without parsing.
 */
const WRITE = `
for i, key in ipairs(KEYS) do
  local held = string.match(redis.call('GETRANGE', key, 0, 40), '^{"sequence":(%d+)')
  if not held or tonumber(held) <= tonumber(ARGV[3 * i - 2]) then
    redis.call('SET', key, ARGV[3 * i], 'EX', ARGV[3 * i - 1])
  end
end
return 1`;

const ADVANCE = `
local held = tonumber(redis.call('GET', KEYS[1]) or '-1')
if held < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return 1`;

/** The documents of the read model in Redis, each with the sequence that it includes. */
export class RedisDocuments {
  constructor(private readonly redis: Redis) {}

  /** Returns the copies that exist. A text in another format counts as missing. */
  async read(keys: readonly DocumentKey[]): Promise<Map<DocumentKey, StoredCopy>> {
    const copies = new Map<DocumentKey, StoredCopy>();
    if (keys.length === 0) return copies;
    const texts = await this.redis.mget(keys.map(documentRedisKey));
    for (const [index, text] of texts.entries()) {
      const key = keys[index];
      const copy = key === undefined || text === null ? null : parse(text);
      if (key !== undefined && copy !== null) copies.set(key, { key, ...copy });
    }
    return copies;
  }

  /**
   * Writes at most 256 copies in one round trip. A document expires after 7 days, the absence of
   * one after an hour.
   */
  write(copies: readonly StoredCopy[]): Promise<void> {
    return this.set(
      copies.map(({ key, document, sequence }) => ({
        ...{ key, sequence, ttlSeconds: document === null ? ABSENT_TTL_S : DOCUMENT_TTL_S },
        text: JSON.stringify({ sequence, document }),
      })),
    );
  }

  /**
   * Removes at most 256 copies up to a sequence, for documents that changed and cannot be read now.
   * The text that replaces a copy counts as a missing one, and keeps out older copies.
   */
  invalidate(keys: readonly DocumentKey[], sequence: number): Promise<void> {
    const text = JSON.stringify({ sequence });
    return this.set(keys.map((key) => ({ key, sequence, ttlSeconds: ABSENT_TTL_S, text })));
  }

  private async set(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const values = entries.flatMap(({ sequence, ttlSeconds, text }) => [sequence, ttlSeconds, text]);
    const keys = entries.map(({ key }) => documentRedisKey(key));
    await this.redis.eval(WRITE, keys.length, ...keys, ...values);
  }

  /** Deletes every document, in steps that do not block Redis, and sets the published sequence. */
  async restart(sequence: number): Promise<void> {
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', documentRedisKey('*'), 'COUNT', 1_000);
      if (keys.length > 0) await this.redis.unlink(keys);
      cursor = next;
    } while (cursor !== '0');
    await this.redis.set(PUBLISHED_KEY, sequence);
  }

  /**
   * Returns the newest sequence whose documents are in Redis and whose event was published; null if
   * none was.
   */
  async published(): Promise<number | null> {
    const text = await this.redis.get(PUBLISHED_KEY);
    return text === null ? null : Number(text);
  }

  /**
   * Raises the published sequence. Never lowers it, so that the most advanced publisher decides.
   */
  async advance(sequence: number): Promise<void> {
    await this.redis.eval(ADVANCE, 1, PUBLISHED_KEY, sequence);
  }
}

function parse(text: string): { document: ReadModelDocument | null; sequence: number } | null {
  try {
    const copy = JSON.parse(text) as Partial<StoredCopy> | null;
    return copy === null || copy.document === undefined || !Number.isSafeInteger(copy.sequence)
      ? null
      : { document: copy.document, sequence: Number(copy.sequence) };
  } catch {
    return null;
  }
}
