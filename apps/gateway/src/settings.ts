import { SECRET_MANAGER_SETTINGS } from '@gw/secret-managers';
import {
  feature,
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

const MINUTE_MS = 60_000;

export const GATEWAY_SETTINGS = {
  GATEWAY_PORT: port(8787),
  HOST: text('127.0.0.1'),
  /** Addresses and ranges of proxies whose `x-forwarded-for` is trusted. Absent: none. */
  TRUSTED_PROXIES: trustedProxies,
  /**
   * Port of `/metrics` for Prometheus; process n of `GATEWAY_WORKERS`, counted from 0, listens on
   * METRICS_PORT + n. Absent: metrics are disabled.
   */
  METRICS_PORT: optional(port()),
  /** OFF: tokens that organisations and platforms sign are refused. */
  JWT_ENABLED: feature(),
  ADMIN_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8788'),
  WORKER_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8789'),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  /**
   * A separate Redis for cached responses, which may evict keys (allkeys-lru). Absent: they are
   * stored in REDIS_URL, within their share.
   */
  REDIS_CACHE_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  /**
   * Maximum bytes of cached responses in Redis, plus a quarter of that for first responses of
   * idempotent requests. Absent: a part of its maxmemory. Workspaces share them.
   */
  REDIS_CACHE_MAX_BYTES: optional(integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 })),
  DATA_DIR: text('.data'),
  ...MASTER_KEY_SETTINGS,
  SERVICE_TOKEN: secret(16),
  /** The `client_auth` of the deployment that this gateway belongs to. */
  DEPLOYMENT_CLIENT_AUTH: optional(text()),
  /** Number of processes that share the port; each has its own journal. */
  GATEWAY_WORKERS: integer({ min: 1, max: 64 }, 1),
  /**
   * `rr`: runs each process before all ordinary processes of the machine, if Linux permits it
   * (`scheduling.ts`).
   */
  CPU_SCHEDULING_POLICY: oneOf(['other', 'rr'], 'other'),
  SANDBOX_ENABLED: flag(false),
  BLOCK_INLINE_CONFIG: flag(false),
  /**
   * Whether requests to saved providers may obtain client secrets and sessions when no limit or
   * guardrail applies to them.
   */
  ALLOW_CLIENT_SECRETS: flag(false),
  TRUSTED_CUSTOM_HOSTS: trustedHosts,
  ...PROXY_SETTINGS,
  ...SECRET_MANAGER_SETTINGS,
  /**
   * Web origins that may read responses, separated by commas, or `*`. Empty: none, and OPTIONS
   * requests go to the provider.
   */
  CORS_ALLOWED_ORIGINS: text(''),
  /**
   * Address of the console, whose pages may read responses as well. The launcher sets it to the
   * admin API's.
   */
  CONSOLE_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /** OFF: paths of MCP servers do not exist. */
  MCP_ENABLED: feature(),
  /** ON: clients can use HTTP+SSE of 2024-11-05, at `…/sse` and `…/messages`. */
  MCP_LEGACY_SSE: flag(false),
  /** Web origins whose pages may call MCP servers, separated by commas. Empty: none. */
  MCP_ALLOWED_ORIGINS: text(''),
  /**
   * Address of the gateway for clients, in links to the OAuth server. Absent: the host of the
   * request.
   */
  PUBLIC_GATEWAY_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /**
   * Hosts that clients may name in requests to MCP servers, separated by commas. Empty: every host.
   */
  PUBLIC_HOSTS: text(''),
  /** OFF: paths of agents do not exist. */
  A2A_ENABLED: feature(),
  /**
   * Status of tool calls that a limit, a guardrail or a rule denies: always 200, or `http`: 429,
   * 412 and 403.
   */
  MCP_DENIAL_STATUS: oneOf(['200', 'http'], '200'),
  /**
   * Milliseconds that an outbound call may take; for a stream, until the first byte and between
   * bytes.
   */
  REQUEST_TIMEOUT: integer({ min: 1, max: 60 * MINUTE_MS }, 10 * MINUTE_MS),
  CONNECT_TIMEOUT: integer({ min: 1, max: MINUTE_MS }, 10_000),
  /**
   * Maximum bytes of a request body in memory. A larger one is spooled on passthrough routes and
   * refused on all others.
   */
  MAX_BUFFERED_BODY: integer({ min: 1_024, max: 256 * 1_048_576 }, 32 * 1_048_576),
  /**
   * Maximum bytes of all request bodies in memory, including parsed ones. Workspaces share them: a
   * workspace may hold at most as much as is still free, an organisation at most twice that. A body
   * that does not fit is refused with 503.
   */
  MAX_BODY_MEMORY: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  MAX_BODY: integer({ min: 1_024, max: 1_024 * 1_048_576 }, 512 * 1_048_576),
  /**
   * Maximum bytes of spooled request bodies on disk for each process, shared in the same way; one
   * body may take at most half of it.
   */
  SPOOL_MAX_BYTES: integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 }, 1_073_741_824),
  /** Milliseconds until all headers of a request must have arrived. */
  HEADERS_TIMEOUT: integer({ min: 100, max: MINUTE_MS * 5 }, 30_000),
  /** Milliseconds between two pieces of a request body. */
  BODY_IDLE_TIMEOUT: integer({ min: 100, max: MINUTE_MS * 10 }, 60_000),
  /** Milliseconds for a whole request body that is kept in memory. */
  BODY_TIMEOUT: integer({ min: 100, max: 60 * MINUTE_MS }, 5 * MINUTE_MS),
  /** Milliseconds for a whole request body that is spooled. */
  SPOOL_BODY_TIMEOUT: integer({ min: 100, max: 24 * 60 * MINUTE_MS }, 60 * MINUTE_MS),
  /**
   * Minimum average rate of a request body in bytes a second, enforced once BODY_IDLE_TIMEOUT has
   * passed; 0: no minimum.
   */
  BODY_MIN_RATE: integer({ min: 0, max: 1_073_741_824 }, 500),
  /** Maximum client connections of one process; further ones are closed at once. */
  MAX_CONNECTIONS: integer({ min: 1, max: 1_000_000 }, 50_000),
  /** Milliseconds without a byte after which an open stream gets a keep-alive comment. */
  STREAM_KEEP_ALIVE: integer({ min: 100, max: 10 * MINUTE_MS }, 15_000),
  /**
   * Maximum bytes of one WebSocket message in either direction; a larger one closes its session
   * with code 1009.
   */
  REALTIME_MAX_MESSAGE: integer({ min: 1_024, max: 256 * 1_048_576 }, 16 * 1_048_576),
  /** Milliseconds without a frame in either direction after which a WebSocket session is closed. */
  REALTIME_IDLE_TIMEOUT: integer({ min: 100, max: 24 * 60 * MINUTE_MS }, 10 * MINUTE_MS),
  /**
   * Milliseconds that the gateway reads on from a provider after its client has disconnected during
   * a response; 0: not at all.
   */
  REALTIME_LINGER: integer({ min: 0, max: MINUTE_MS }, 5_000),
  /** Maximum WebSocket clients of one process, including those that wait for their upgrade. */
  REALTIME_MAX_SESSIONS: integer({ min: 1, max: 100_000 }, 5_000),
  ...SHUTDOWN_SETTINGS,
  KEEP_ALIVE_TIMEOUT: integer({ min: 100, max: 60 * MINUTE_MS }, 75_000),
  /**
   * Maximum provider calls of one request, over all targets: retries, second requests of hedges and
   * continued streams included.
   */
  MAX_CALLS_PER_REQUEST: integer({ min: 1, max: 1_000 }, 30),
  MAX_CONNECTIONS_PER_PROVIDER: integer({ min: 1, max: 65_536 }, 2_048),
  /** Maximum bytes of a request or response body that the log stores. */
  LOG_BODY_MAX_BYTES: integer({ min: 0, max: 3 * 1_048_576 }, 262_144),
  /**
   * Maximum bytes of cached responses in the memory of one process; with a Redis they are stored
   * there instead. Workspaces share them.
   */
  CACHE_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  /** Maximum bytes of a response body; longer ones are not cached. */
  CACHE_ENTRY_MAX_BYTES: integer({ min: 1_024, max: 64 * 1_048_576 }, 2 * 1_048_576),
  /** Milliseconds that a request waits for Redis to return a cached response. */
  CACHE_TIMEOUT: integer({ min: 1, max: 1_000 }, 50),
  /**
   * Maximum bytes of first responses under an `Idempotency-Key` in the memory of one process; with
   * a Redis, only used while Redis is unavailable.
   */
  IDEMPOTENCY_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  /** Maximum bytes of the body of a first response; a longer one cannot be replayed. */
  IDEMPOTENCY_ENTRY_MAX_BYTES: integer({ min: 1_024, max: 64 * 1_048_576 }, 4 * 1_048_576),
  /** Milliseconds after which the leases of a silent process expire. */
  LIMITS_LEASE: integer({ min: 5_000, max: 10 * MINUTE_MS }, 90_000),
  /**
   * Milliseconds of silence after which the usage that a process reported but never recorded is
   * written off.
   */
  LIMITS_LOST_AFTER: integer({ min: 60 * MINUTE_MS, max: 7 * 24 * 60 * MINUTE_MS }, 24 * 60 * MINUTE_MS),
  /**
   * Part of a budget that one process may spend in an outage beyond its leases, in per cent of the
   * limit; for limits that hold in an outage.
   */
  LIMITS_OUTAGE_SHARE: integer({ min: 0, max: 100 }, 1),
  /**
   * Maximum control plane documents (keys, workspaces, configs, …) in the memory of one process.
   * The least recently used are evicted and read again when needed.
   */
  READ_MODEL_MAX_DOCUMENTS: integer({ min: 1_000, max: 10_000_000 }, 200_000),
  /** Maximum bytes of these documents as JSON. */
  READ_MODEL_MAX_BYTES: optional(integer({ min: 1_048_576, max: 64 * 1_073_741_824 })),
  JOURNAL_MAX_BYTES: integer({ min: 1_048_576, max: 1_024 * 1_073_741_824 }, 2 * 1_073_741_824),
  /**
   * `group`: a response ends only when its log record is on disk; responses that end together share
   * one `fdatasync`. `off`: the record is only in the operating system's cache by then.
   */
  JOURNAL_SYNC: oneOf(['off', 'group'], 'off'),
  ...modelConfigSettings(folder),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
} as const;

export type GatewaySettings = ReturnType<typeof readGatewaySettings>;

/** Throws `SettingsError`, which lists every invalid setting. */
export const readGatewaySettings = (environment: NodeJS.ProcessEnv) => {
  const settings = readSettings(GATEWAY_SETTINGS, environment);
  return { ...settings, ...memoryCaps(settings, memoryOfProcess(settings.GATEWAY_WORKERS)) };
};

/** Splits comma-separated text into its trimmed, non-empty items. */
export const listOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
