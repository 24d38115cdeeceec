import type { SessionRecord } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';

/** State of the WebSocket session of an upgraded request. */
export class RequestSession {
  /** How the session ended; null before its end, and if it never began. */
  record: SessionRecord | null = null;
  /** Bytes of all messages received from the client before the session ended. */
  receivedBytes = 0;
  /** Ends the session after an exception; null before it has begun. */
  fail: ((error: GatewayError) => void) | null = null;
}
