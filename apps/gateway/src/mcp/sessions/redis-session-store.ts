import { HOUR_MS, type Keyring } from '@gw/kernel';
import { openToken, sealToken } from '@gw/mcp';
import type { Redis } from '@gw/redis';
import { hash } from 'node:crypto';
import {
  SESSION_CHARACTERS_MAX,
  SESSIONS_OF_CALLER_MAX,
  SUBSCRIPTIONS_MAX,
  type SessionName,
  type SessionStore,
  type StoredSession,
} from './session-store';

/** Milliseconds that an idle session is kept. */
const KEEP_MS = HOUR_MS;
const ENDED_MAX = 1_000;

/**
 * Sets a field, or removes it for an empty value, and drops the least recently used sessions of the
 * caller. Returns 0 when the session is full. KEYS: the session, and the times of the caller's
 * sessions. ARGV: session, keep ms, key prefix, field, value, fields max, characters max, sessions
 * max.
 */
const WRITE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local name, keep, prefix, field, value = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
if value == '' then
  redis.call('HDEL', KEYS[1], field)
else
  if redis.call('HEXISTS', KEYS[1], field) == 0 then
    local length = #value
    for _, held in ipairs(redis.call('HVALS', KEYS[1])) do length = length + #held end
    if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) or length > tonumber(ARGV[7]) then return 0 end
  end
  redis.call('HSET', KEYS[1], field, value)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - keep)
redis.call('ZADD', KEYS[2], now, name)
for _, oldest in ipairs(redis.call('ZRANGE', KEYS[2], 0, -tonumber(ARGV[8]) - 1)) do
  redis.call('DEL', prefix .. oldest)
  redis.call('ZREM', KEYS[2], oldest)
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
return 1`;

/**
 * Returns whether the session is ended, and its fields; renews its expiry.
 * KEYS: the session, the times of the caller's sessions, and its ended ones.
 * ARGV: session, keep ms.
 */
const LOAD = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 1 then
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return {redis.call('ZSCORE', KEYS[3], ARGV[1]) and 1 or 0, redis.call('HGETALL', KEYS[1])}`;

/**
 * Removes the session and marks it as ended. When there are more than 1,000 marks of the caller,
 * those that expire first are dropped. KEYS: the session, the times of the caller's sessions, and
 * its ended ones. ARGV: session, expiry of the mark (Unix ms), marks max.
 */
const END = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -tonumber(ARGV[3]) - 1)
redis.call('PEXPIREAT', KEYS[3], redis.call('ZRANGE', KEYS[3], -1, -1, 'WITHSCORES')[2])
return 1`;

const PREFIX = 'gwss1.';
const LOG_LEVEL = 'level';
const SEEN_LISTS = 'lists';
const SUBSCRIPTION = 'uri:';
/** Maximum fields of a session: its subscriptions, the log level and the lists' digest. */
const FIELDS_MAX = SUBSCRIPTIONS_MAX + 2;

/** Stores sessions in Redis. Each value is sealed for its caller, session and field. */
export class RedisSessionStore implements SessionStore {
  constructor(
    private readonly redis: Redis,
    private readonly ring: Keyring,
  ) {}

  async load(name: SessionName): Promise<StoredSession> {
    const keys = [sessionKey(name), timesKey(name), endedKey(name)];
    const [isEnded, fields] = (await this.redis.eval(LOAD, 3, ...keys, name.session, KEEP_MS)) as [
      number,
      string[],
    ];
    const values = new Map<string, string>();
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [field = '', sealed = ''] = fields.slice(at, at + 2);
      const value = this.opened(name, field, sealed);
      if (value !== null) values.set(field, value);
    }
    return {
      isEnded: isEnded === 1,
      logLevel: values.get(LOG_LEVEL) ?? null,
      seenLists: values.get(SEEN_LISTS) ?? null,
      subscriptions: [...values].flatMap(([field, value]) => (field.startsWith(SUBSCRIPTION) ? [value] : [])),
    };
  }

  async setLogLevel(name: SessionName, level: string): Promise<void> {
    await this.write(name, LOG_LEVEL, level);
  }

  subscribe(name: SessionName, uri: string): Promise<boolean> {
    return this.write(name, fieldOf(uri), uri);
  }

  async unsubscribe(name: SessionName, uri: string): Promise<void> {
    await this.write(name, fieldOf(uri), '');
  }

  async setSeenLists(name: SessionName, digest: string): Promise<void> {
    await this.write(name, SEEN_LISTS, digest);
  }

  async end(name: SessionName, untilMs: number): Promise<void> {
    const keys = [sessionKey(name), timesKey(name), endedKey(name)];
    await this.redis.eval(END, 3, ...keys, name.session, Math.ceil(untilMs), ENDED_MAX);
  }

  private async write(name: SessionName, field: string, value: string): Promise<boolean> {
    const sealed = value === '' ? '' : sealToken(this.ring, PREFIX, value, bindingOf(name, field));
    const written = await this.redis.eval(
      WRITE,
      2,
      ...[sessionKey(name), timesKey(name)],
      ...[name.session, KEEP_MS, prefixOf(name), field, sealed],
      ...[FIELDS_MAX, SESSION_CHARACTERS_MAX, SESSIONS_OF_CALLER_MAX],
    );
    return written === 1;
  }

  /** Opens a sealed value; null when no gateway sealed it for this field. */
  private opened(name: SessionName, field: string, sealed: string): string | null {
    const options = { prefix: PREFIX, boundTo: bindingOf(name, field), lengthMax: SESSION_CHARACTERS_MAX };
    const value = openToken(this.ring, sealed, options);
    return typeof value === 'string' ? value : null;
  }
}

const fieldOf = (uri: string): string => SUBSCRIPTION + hash('sha256', uri, 'base64url');
const bindingOf = ({ principal, session }: SessionName, field: string): string =>
  `mcp/session/${principal}/${session}/${field}`;

/**
 * Returns the prefix of a session's key. The braces keep the keys of a caller in one hash slot of a
 * Redis cluster. `up` is kept only because stored sessions use it.
 */
const prefixOf = ({ principal }: SessionName): string => `gw:mcp:up:{${principal}}:`;
const sessionKey = (name: SessionName): string => prefixOf(name) + name.session;
const timesKey = ({ principal }: SessionName): string => `gw:mcp:up-times:{${principal}}`;
const endedKey = ({ principal }: SessionName): string => `gw:mcp:end:{${principal}}`;
