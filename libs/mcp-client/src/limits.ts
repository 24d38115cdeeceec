import { MCP_LIMITS } from '@gw/mcp';

/** Time limits of calls to upstreams, in milliseconds. */
export interface UpstreamTimeouts {
  /** Time until a connection is open. */
  readonly connectMs: number;
  /** A whole `server/discover` that determines the era. */
  readonly discoverMs: number;
  /** A whole request other than tools/call, such as one page of a list. */
  readonly requestMs: number;
  /** All pages of a list. */
  readonly listMs: number;
  /** A whole tools/call, without the time that the upstream waits for input; at most 900,000. */
  readonly callMs: number;
  /** Silence during a call. Every byte of the response, such as a progress event, restarts it. */
  readonly idleMs: number;
  /** Silence of a stream that belongs to no call. */
  readonly streamIdleMs: number;
  /** Time in which the caller must respond to the upstream's request for input. */
  readonly inputMs: number;
  /** Sending the cancellation of a call, or ending a session. */
  readonly farewellMs: number;
}

export const DEFAULT_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5_000,
  discoverMs: 5_000,
  requestMs: 30_000,
  listMs: 120_000,
  callMs: 120_000,
  idleMs: 60_000,
  streamIdleMs: 300_000,
  inputMs: 600_000,
  farewellMs: 5_000,
};

export const CALL_MS_MAX = 900_000;

/** Bounds of what one upstream may send. Bytes are of UTF-8. */
export const UPSTREAM_BOUNDS = {
  /** One message: a body, or one event. */
  messageBytesMax: MCP_LIMITS.upstreamBytesMax,
  /** All messages of one call. */
  callBytesMax: 67_108_864,
  callMessagesMax: 10_000,
  /** Body of a response with an error status. */
  errorBodyBytesMax: 65_536,
  /** All pages of a list. */
  listBytesMax: 33_554_432,
  /** Requests for input in one call; further ones are refused. */
  inputRequestsMax: 20,
  sessionIdLengthMax: 1_024,
  /** Calls in flight at one upstream, and in one session. */
  callsMax: 50,
  sessionCallsMax: 10,
  /** Consecutive reconnections of a stream that delivered no event. */
  resumesMax: 3,
} as const;
