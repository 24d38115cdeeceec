import { MINUTE_MS, randomHex, Shares, type Keyring } from '@gw/kernel';
import {
  openRequestId,
  requestBody,
  sealRequestId,
  type InputRequest,
  type JsonObject,
  type RequestOwner,
  type RpcResponse,
} from '@gw/mcp';
import { LRUCache } from 'lru-cache';
import type { McpRequest } from './mcp-request';
import { AnswerDelivery } from './replicas/answer-delivery';
import type { ReplicaLink } from './replicas/replica-link';

/** Maximum for the process. Workspaces share it, so that none can take all. */
const WAITING_MAX = 1_000;
/** Requests whose response was passed on: a second response to one of them is dropped. */
const PASSED_ON_MAX = 10_000;
const PASSED_ON_MS = 15 * MINUTE_MS;

interface Waiting {
  /** Whose response counts: the caller and the session of the call. */
  readonly owner: string;
  readonly resolve: (response: JsonObject | null) => void;
}

const nameOf = ({ principal, session }: RequestOwner): string => `${session}/${principal}`;

/**
 * Requests that were sent to legacy clients on the streams of their calls, until they respond. A
 * response may arrive at any gateway, which passes it on to the one with the call.
 */
export class ClientInputs {
  private readonly waiting = new Map<string, Waiting>();
  private readonly shares = new Shares(WAITING_MAX);
  private readonly delivery: AnswerDelivery;
  private readonly passedOn = new LRUCache<string, true>({ max: PASSED_ON_MAX, ttl: PASSED_ON_MS });

  constructor(
    private readonly link: ReplicaLink,
    private readonly ring: Keyring,
  ) {
    this.delivery = new AnswerDelivery(link);
    link.on('answer', ({ request, owner, result, from }) => {
      this.resolve(request, owner, result);
      if (from !== undefined) link.send(from, { kind: 'answer_taken', request });
    });
  }

  /**
   * Sends a request to the client of a call. Null: the client refused, the call ended, or too many
   * requests wait. `until` aborts when the call ends.
   */
  ask(
    { session, view, reply, signal }: McpRequest,
    { method, params }: InputRequest,
    until: AbortSignal,
  ): Promise<JsonObject | null> {
    const share = this.shares.of(view.document.workspaceId, view.document.organisationId);
    if (session === null || signal.aborted || until.aborted || !share.take(1)) return Promise.resolve(null);
    const owner = { principal: view.caller.binding, session: session.nonce };
    const request = randomHex(16);
    return new Promise((resolve) => {
      const refuse = (): void => end(null);
      const end = (response: JsonObject | null): void => {
        if (this.waiting.delete(request)) share.give(1);
        for (const each of [signal, until]) each.removeEventListener('abort', refuse);
        resolve(response);
      };
      this.waiting.set(request, { owner: nameOf(owner), resolve: end });
      for (const each of [signal, until]) each.addEventListener('abort', refuse, { once: true });
      const id = sealRequestId(this.ring, owner, { replica: this.link.id, request }, Date.now());
      reply.message(requestBody(id, method, params));
    });
  }

  /** Takes the response of a client. One that nothing waits for, or of another caller, changes nothing. */
  take(owner: RequestOwner, { id, result }: RpcResponse): void {
    const place = openRequestId(this.ring, owner, id, Date.now());
    if (place === null) return;
    const { replica, request } = place;
    if (replica === this.link.id) this.resolve(request, nameOf(owner), result);
    else if (!this.passedOn.has(request)) {
      this.passedOn.set(request, true);
      this.delivery.send(replica, { request, owner: nameOf(owner), result });
    }
  }

  private resolve(request: string, owner: string, result: JsonObject | null): void {
    const waiting = this.waiting.get(request);
    if (waiting?.owner === owner) waiting.resolve(result);
  }
}
