import type { SessionRecord } from '@gw/contracts';

/** State of the WebSocket session of an upgraded request. */
export class RequestSession {
  /** How the session ended; null while it is open. */
  record: SessionRecord | null = null;
  /** Bytes of all messages received from the client. */
  receivedBytes = 0;
}
