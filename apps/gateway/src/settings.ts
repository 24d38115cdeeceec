import { SECRET_MANAGER_SETTINGS } from '@gw/secret-managers';
import {
  flag,
  integer,
  MASTER_KEY_SETTINGS,
  oneOf,
  optional,
  port,
  readSettings,
  secret,
  text,
  trustedHosts,
  trustedProxies,
  url,
} from '@gw/kernel';
import { folder, PROXY_SETTINGS } from '@gw/outbound';
import { modelConfigSettings } from '@gw/pricing';
import { SHUTDOWN_SETTINGS } from '@gw/web';

import { memoryCaps, memoryOfProcess } from './health/memory-caps';

const MINUTE = 60_000;

const SCHEMA = {
  GATEWAY_PORT: port(8787),
  HOST: text('127.0.0.1'),
  /** Addresses and ranges of proxies whose `x-forwarded-for` is believed. Absent: none. */
  TRUSTED_PROXIES: trustedProxies,
  /** Where Prometheus finds `/metrics`; process n of `GATEWAY_WORKERS` listens on the n-th port from here. Absent: nothing is counted. */
  METRICS_PORT: optional(port()),
  ADMIN_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8788'),
  WORKER_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8789'),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  /** A Redis of its own for cached answers, which may evict them (allkeys-lru); absent: they are in REDIS_URL, within their share. */
  REDIS_CACHE_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  /** Bytes of cached answers, and a quarter as many of first answers, in Redis; absent: a part of its maxmemory. Workspaces share them. */
  REDIS_CACHE_MAX_BYTES: optional(integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 })),
  DATA_DIR: text('.data'),
  ...MASTER_KEY_SETTINGS,
  SERVICE_TOKEN: secret(16),
  /** The `client_auth` of the deployment that this gateway is of. */
  DEPLOYMENT_CLIENT_AUTH: optional(text()),
  /** Processes that share the port; each has a journal of its own. */
  GATEWAY_WORKERS: integer({ min: 1, max: 64 }, 1),
  /** `rr`: each of them before all ordinary processes of the machine, where Linux permits it (`scheduling.ts`). */
  CPU_SCHEDULING_POLICY: oneOf(['other', 'rr'], 'other'),
  SANDBOX_ENABLED: flag(false),
  BLOCK_INLINE_CONFIG: flag(false),
  /** Whether saved providers may hand out client secrets and sessions, where nothing limits or judges the request. */
  ALLOW_CLIENT_SECRETS: flag(false),
  TRUSTED_CUSTOM_HOSTS: trustedHosts,
  ...PROXY_SETTINGS,
  ...SECRET_MANAGER_SETTINGS,
  /** Pages that may read answers: origins separated by commas, or `*`. Empty: none, and OPTIONS belongs to the provider. */
  CORS_ALLOWED_ORIGINS: text(''),
  /** Milliseconds that an outbound call may take; streams: until the first byte, and between bytes. */
  REQUEST_TIMEOUT: integer({ min: 1, max: 60 * MINUTE }, 10 * MINUTE),
  CONNECT_TIMEOUT: integer({ min: 1, max: MINUTE }, 10_000),
  /** Bytes of a request body that are kept in memory; larger ones are spooled where the route takes any body, and refused elsewhere. */
  MAX_BUFFERED_BODY: integer({ min: 1_024, max: 256 * 1_048_576 }, 32 * 1_048_576),
  /**
   * Bytes of request bodies in memory at one time, parsed ones included. Workspaces share them: none has more than what stays free,
   * no organisation more than twice that. What does not fit is refused with 503.
   */
  MAX_BODY_MEMORY: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  MAX_BODY: integer({ min: 1_024, max: 1_024 * 1_048_576 }, 512 * 1_048_576),
  /** Bytes of spooled request bodies on the disk at one time, of one process, shared in the same way; a body is half of it at most. */
  SPOOL_MAX_BYTES: integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 }, 1_073_741_824),
  /** Until all headers of a request are there. */
  HEADERS_TIMEOUT: integer({ min: 100, max: MINUTE * 5 }, 30_000),
  /** Between two pieces of a request body. */
  BODY_IDLE_TIMEOUT: integer({ min: 100, max: MINUTE * 10 }, 60_000),
  /** For a whole request body that is kept in memory. */
  BODY_TIMEOUT: integer({ min: 100, max: 60 * MINUTE }, 5 * MINUTE),
  /** For a whole request body that is spooled. */
  SPOOL_BODY_TIMEOUT: integer({ min: 100, max: 24 * 60 * MINUTE }, 60 * MINUTE),
  /** Bytes in a second that a client sends of its body at the least, on average, once BODY_IDLE_TIMEOUT has passed; 0: no minimum. */
  BODY_MIN_RATE: integer({ min: 0, max: 1_073_741_824 }, 500),
  /** Client connections of one process; more are closed as they come. */
  MAX_CONNECTIONS: integer({ min: 1, max: 1_000_000 }, 50_000),
  /** Milliseconds without a byte after which an open stream gets a comment. */
  STREAM_KEEP_ALIVE: integer({ min: 100, max: 10 * MINUTE }, 15_000),
  /** Bytes of one WebSocket message, in either direction; a larger one closes its session with 1009. */
  REALTIME_MAX_MESSAGE: integer({ min: 1_024, max: 256 * 1_048_576 }, 16 * 1_048_576),
  /** Milliseconds without a frame in either direction after which a WebSocket session is closed. */
  REALTIME_IDLE_TIMEOUT: integer({ min: 100, max: 24 * 60 * MINUTE }, 10 * MINUTE),
  /** Milliseconds for which a provider is listened to after its client has left in the middle of a response; 0: it is not. */
  REALTIME_LINGER: integer({ min: 0, max: MINUTE }, 5_000),
  /** WebSocket clients of one process, those that wait for their upgrade included. */
  REALTIME_MAX_SESSIONS: integer({ min: 1, max: 100_000 }, 5_000),
  ...SHUTDOWN_SETTINGS,
  KEEP_ALIVE_TIMEOUT: integer({ min: 100, max: 60 * MINUTE }, 75_000),
  /** Calls to providers that one request may make: of all its targets, with retries, second requests of hedges and streams that go on. */
  MAX_CALLS_PER_REQUEST: integer({ min: 1, max: 1_000 }, 30),
  MAX_CONNECTIONS_PER_PROVIDER: integer({ min: 1, max: 65_536 }, 2_048),
  /** Bytes of a request or answer body that the log keeps. */
  LOG_BODY_MAX_BYTES: integer({ min: 0, max: 3 * 1_048_576 }, 262_144),
  /** Bytes of cached answers in memory, of one process; where there is a Redis they are there. Workspaces share them. */
  CACHE_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  /** Bytes of an answer's body; longer ones are not cached. */
  CACHE_ENTRY_MAX_BYTES: integer({ min: 1_024, max: 64 * 1_048_576 }, 2 * 1_048_576),
  /** Milliseconds that a request waits for Redis to tell of a cached answer. */
  CACHE_TIMEOUT: integer({ min: 1, max: 1_000 }, 50),
  /** Bytes of first answers under an `Idempotency-Key` in memory, of one process; with a Redis only while it is away. */
  IDEMPOTENCY_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  /** Bytes of a first answer's body; a longer one can't be replayed. */
  IDEMPOTENCY_ENTRY_MAX_BYTES: integer({ min: 1_024, max: 64 * 1_048_576 }, 4 * 1_048_576),
  /** Milliseconds after which what a silent process holds of limits is free again. */
  LIMITS_LEASE: integer({ min: 5_000, max: 10 * MINUTE }, 90_000),
  /** Milliseconds after which what a process has counted and never recorded is written off, where nothing of it is heard any more. */
  LIMITS_LOST_AFTER: integer({ min: 60 * MINUTE, max: 7 * 24 * 60 * MINUTE }, 24 * 60 * MINUTE),
  /** Of a budget that holds in an outage, what one process may spend in it beyond what it held, in per cent of the limit. */
  LIMITS_OUTAGE_SHARE: integer({ min: 0, max: 100 }, 1),
  /** Documents of the control plane in memory, of one process: keys, workspaces, configs, …; those used least lately are read again. */
  READ_MODEL_MAX_DOCUMENTS: integer({ min: 1_000, max: 10_000_000 }, 200_000),
  /** Their bytes as JSON. */
  READ_MODEL_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  JOURNAL_MAX_BYTES: integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 }, 2 * 1_073_741_824),
  /** `group`: an answer ends once the disk itself has its record (`fdatasync`, one for all answers of a moment), not only its cache. */
  JOURNAL_SYNC: oneOf(['off', 'group'], 'off'),
  ...modelConfigSettings(folder),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
} as const;

export type GatewaySettings = ReturnType<typeof readGatewaySettings>;

/** Throws `SettingsError`, which lists every setting at fault. */
export const readGatewaySettings = (environment: NodeJS.ProcessEnv) => {
  const settings = readSettings(SCHEMA, environment);
  return { ...settings, ...memoryCaps(settings, memoryOfProcess(settings.GATEWAY_WORKERS)) };
};

/** Comma-separated text to its trimmed, non-empty items. */
export const listOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
