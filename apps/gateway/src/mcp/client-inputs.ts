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

/**
 * Maximum number of requests that wait for clients in this process. Workspaces share it, so that
 * none can use it all.
 */
const WAITING_MAX = 1_000;
/**
 * Maximum number of requests whose response was passed on to another gateway and is remembered, so
 * that a second response is dropped.
 */
const PASSED_ON_MAX = 10_000;
const PASSED_ON_MS = 15 * MINUTE_MS;

interface PendingInput {
  /** The caller and the session of the call; a response of another owner is ignored. */
  readonly owner: string;
  readonly resolve: (response: JsonObject | null) => void;
}

const nameOf = ({ principal, session }: RequestOwner): string => `${session}/${principal}`;

/**
 * Sends servers' requests for input to legacy clients on the streams of their calls and waits for
 * the responses. A response may arrive at any gateway, which passes it on to the gateway with the
 * call.
 */
export class ClientInputs {
  private readonly waiting = new Map<string, PendingInput>();
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
   * Sends a request to the client of a call and resolves to its response. Resolves to null when the
   * client refuses, when the call ends, which aborts `until`, or when too many requests wait.
   */
  request(
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

  /**
   * Handles the response of a client. A response that no request waits for, or of another caller,
   * has no effect.
   */
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
