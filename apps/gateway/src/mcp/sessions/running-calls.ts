import type { RequestId, SessionFacts } from '@gw/mcp';
import type { CallEnding } from '@gw/mcp-client';
import type { ReplicaLink } from '../replicas/replica-link';

/**
 * The running calls of legacy sessions. Clients can cancel them by the id of the request, at any
 * gateway.
 */
export class RunningCalls {
  private readonly calls = new Map<string, CallEnding>();

  constructor(private readonly link: ReplicaLink) {
    link.on('cancel', ({ session, requestId }) => this.calls.get(keyOf(session, requestId))?.abort());
  }

  /** Adds a call. Returns a function that removes it. */
  add(session: SessionFacts, id: RequestId, abort: CallEnding): () => void {
    const key = keyOf(session.nonce, id);
    this.calls.set(key, abort);
    return () => {
      if (this.calls.get(key) === abort) this.calls.delete(key);
    };
  }

  /** Cancels a call, here or at another gateway. An unknown id has no effect. */
  cancel({ nonce: session }: SessionFacts, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const call = this.calls.get(keyOf(session, id));
    if (call !== undefined) call.abort();
    else this.link.broadcast({ kind: 'cancel', session, requestId: id });
  }
}

const keyOf = (session: string, id: RequestId): string => `${session}/${JSON.stringify(id)}`;
