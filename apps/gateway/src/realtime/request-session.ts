import type { SessionRecord } from '@gw/contracts';

/** The session of a request that was upgraded to a WebSocket. */
export class RequestSession {
  /** How the session ended. */
  record: SessionRecord | null = null;
  /** Bytes of the client's messages. */
  receivedBytes = 0;
}
