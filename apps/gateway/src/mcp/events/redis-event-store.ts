import type { Keyring } from '@gw/kernel';
import { openToken, RING_LIMITS, sealToken } from '@gw/mcp';
import type { Redis } from '@gw/redis';
import type { ReplicaBus } from '../replicas/replica-bus';
import {
  STORED_LIMITS,
  KEEP_MS,
  type EventStore,
  type NumberedEvent,
  type ReadEvents,
  type StreamName,
} from './event-store';

/**
 * Removes expired streams, adds the event, trims the stream but keeps its first event, and removes
 * the caller's oldest streams until the caller is within its bounds. KEYS: the stream, the times of
 * the caller's streams in unique microseconds, and the streams' sizes in characters of sealed
 * events.
 */
const ADD = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local name, keep, prefix = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local function size(of) return tonumber(redis.call('HGET', KEYS[3], of) or '0') end
local function grow(of, by)
  redis.call('HINCRBY', KEYS[3], of, by)
  redis.call('HINCRBY', KEYS[3], 'all', by)
end
local function forget(of)
  redis.call('HINCRBY', KEYS[3], 'all', -size(of))
  redis.call('HDEL', KEYS[3], of)
  redis.call('ZREM', KEYS[2], of)
end
for _, of in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - keep * 1000))) do forget(of) end
redis.call('XADD', KEYS[1], ARGV[4] .. '-0', 'e', ARGV[5], 'x', ARGV[6])
grow(name, #ARGV[5])
while redis.call('XLEN', KEYS[1]) > tonumber(ARGV[7]) or
  (size(name) > tonumber(ARGV[8]) and redis.call('XLEN', KEYS[1]) > 2) do
  local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 2)
  local second = entries[2] or entries[1]
  redis.call('XDEL', KEYS[1], second[1])
  grow(name, -#second[2][2])
end
redis.call('ZADD', KEYS[2], string.format('%.0f', now), name)
while redis.call('ZCARD', KEYS[2]) > 1 and
  (redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[9]) or size('all') > tonumber(ARGV[10])) do
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  redis.call('DEL', prefix .. oldest)
  forget(oldest)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
redis.call('PUBLISH', ARGV[11], ARGV[4])
return 1`;

/**
 * Renews the expiry of a stream. KEYS: as those of `ADD`. ARGV: name of the stream, milliseconds to
 * keep it.
 */
const KEEP = `
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then return 0 end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[2], string.format('%.0f', time[1] * 1000000 + time[2]), ARGV[1])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end
return 1`;

const PREFIX = 'gwe1.';
/**
 * Factor between the length of sealed text and of its JSON: sealing encodes UTF-8 bytes as base64.
 */
const SEALED_PER_CHARACTER = 1.5;
const SEALED_LENGTH_MAX = 3 * RING_LIMITS.charactersMax;
/** Maximum characters of writes that Redis has not confirmed; above it, events are not stored. */
const WAITING_LENGTH_MAX = 33_554_432;

const sealedMax = (characters: number): number => Math.ceil(characters * SEALED_PER_CHARACTER);

/** Stores events in Redis, each sealed for its stream and number. */
export class RedisEventStore implements EventStore {
  private waiting = 0;

  constructor(
    private readonly redis: Redis,
    private readonly bus: ReplicaBus,
    private readonly ring: Keyring,
  ) {}

  add(name: StreamName, { number, json }: NumberedEvent, isLast: boolean): void {
    const sealed = sealToken(this.ring, PREFIX, json, bindingOf(name, number));
    if (this.waiting + sealed.length > WAITING_LENGTH_MAX) return;
    this.waiting += sealed.length;
    const done = (): void => void (this.waiting -= sealed.length);
    const { eventsMax, charactersMax } = RING_LIMITS;
    this.redis
      .eval(
        ADD,
        3,
        ...[streamKey(name), timesKey(name), sizesKey(name)],
        ...[memberOf(name), KEEP_MS, prefixOf(name), number, sealed, isLast ? '1' : '0'],
        ...[eventsMax, sealedMax(charactersMax)],
        ...[STORED_LIMITS.streamsMax, sealedMax(STORED_LIMITS.charactersMax), channelOf(name)],
      )
      .then(done, done);
  }

  keep(name: StreamName): void {
    this.redis
      .eval(KEEP, 3, streamKey(name), timesKey(name), sizesKey(name), memberOf(name), KEEP_MS)
      .catch(() => undefined);
  }

  async read(name: StreamName, after: number): Promise<ReadEvents | null> {
    const key = streamKey(name);
    const [behind, last] = await Promise.all([
      this.redis.xrange(key, `(${String(after)}-0`, '+', 'COUNT', RING_LIMITS.eventsMax),
      this.redis.xrevrange(key, '+', '-', 'COUNT', 1),
    ]).catch(() => [[], []] as const);
    if (last.length === 0) return null;
    const events = behind.flatMap((entry) => this.opened(name, entry));
    return { events, isEnded: last[0]?.[1][3] === '1' };
  }

  async first(name: StreamName): Promise<string | null> {
    const entries = await this.redis.xrange(streamKey(name), '1-0', '1-0').catch(() => []);
    const [first] = entries.flatMap((entry) => this.opened(name, entry));
    return first?.json ?? null;
  }

  watch(name: StreamName, onEvent: () => void, onLost: () => void): () => void {
    return this.bus.subscribe(channelOf(name), { onMessage: onEvent, onUp: onEvent, onDown: onLost });
  }

  /**
   * Opens a sealed entry; returns an empty list when no gateway sealed it for this stream and
   * number.
   */
  private opened(name: StreamName, [id, fields]: [string, string[]]): NumberedEvent[] {
    const number = Number(id.split('-', 1)[0]);
    const options = { prefix: PREFIX, boundTo: bindingOf(name, number), lengthMax: SEALED_LENGTH_MAX };
    const json = openToken(this.ring, fields[1] ?? '', options);
    return typeof json === 'string' ? [{ number, json }] : [];
  }
}

const bindingOf = ({ principal, session, stream }: StreamName, number: number): string =>
  `mcp/event/${principal}/${session}/${stream}/${String(number)}`;

/** The braces keep the keys of a caller in one hash slot of a Redis cluster. */
const prefixOf = ({ principal }: StreamName): string => `gw:mcp:ev:{${principal}}:`;
const memberOf = ({ session, stream }: StreamName): string => `${session}:${stream}`;
const streamKey = (name: StreamName): string => prefixOf(name) + memberOf(name);
const timesKey = ({ principal }: StreamName): string => `gw:mcp:ev-times:{${principal}}`;
const sizesKey = ({ principal }: StreamName): string => `gw:mcp:ev-sizes:{${principal}}`;
const channelOf = ({ stream }: StreamName): string => `gw:mcp:e:${stream}`;
