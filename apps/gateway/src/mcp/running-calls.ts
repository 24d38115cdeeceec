import type { RequestId, SessionFacts } from '@gw/mcp';

/** Calls of legacy sessions that their clients can cancel by the id of the request. */
export class RunningCalls {
  private readonly calls = new Map<string, AbortController>();

  /** Remembers a call until the returned function is called. */
  add(session: SessionFacts, id: RequestId, abort: AbortController): () => void {
    const key = keyOf(session, id);
    this.calls.set(key, abort);
    return () => {
      if (this.calls.get(key) === abort) this.calls.delete(key);
    };
  }

  /** Cancels a call; an unknown id changes nothing. */
  cancel(session: SessionFacts, id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.calls.get(keyOf(session, id))?.abort();
  }
}

const keyOf = ({ nonce }: SessionFacts, id: RequestId): string => `${nonce}/${JSON.stringify(id)}`;
