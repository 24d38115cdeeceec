import { META, requestBody, upstreamHeaders, type Era, type JsonObject } from '@gw/mcp';
import type { CallClock } from '../http/call-clock';
import { EventParser } from '../http/event-parser';
import type { UpstreamHttp } from '../http/upstream-http';
import { messagesOf, type UpstreamMessage } from '../rpc/messages';
import { assertSuccess } from '../rpc/response-fault';
import {
  encoded,
  POST_HEADERS,
  type Channel,
  type ChannelRequest,
  type DeclaredClient,
  type ServerFacts,
} from './channel';
import { CallBudget, endedEarly, untilResponse } from './response-of';

/** Streamable HTTP of 2026-07-28: every request is a POST that depends on no other. */
export class ModernChannel implements Channel {
  readonly era: Era = 'modern';
  readonly hasSession = false;
  readonly isOpen = true;

  constructor(
    private readonly http: UpstreamHttp,
    readonly revision: string,
    private readonly client: DeclaredClient,
    readonly facts: ServerFacts | null,
  ) {}

  async *exchange(request: ChannelRequest, clock: CallClock): AsyncGenerator<UpstreamMessage, void> {
    const { id, method, extra } = request;
    const params = this.withMeta(request.params);
    const response = await this.http.send(
      {
        method: 'POST',
        headers: {
          ...POST_HEADERS,
          ...upstreamHeaders(this.revision, { method, params }, []),
          ...request.headers,
        },
        body: encoded(requestBody(id, method, params)),
        extra,
      },
      clock,
    );
    await assertSuccess(response);
    const messages = messagesOf(response, new EventParser());
    if (!(yield* untilResponse(messages, id, new CallBudget()))) throw endedEarly();
  }

  async *listen(filter: JsonObject, id: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void> {
    const method = 'subscriptions/listen';
    yield* this.exchange({ id, method, params: filter, headers: {}, extra: {}, onRequest: null }, clock);
  }

  /** Modern servers take neither notifications nor responses over HTTP. */
  post(): Promise<void> {
    return Promise.resolve();
  }

  /** A modern server cancels when the connection of the request closes. */
  farewell(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private withMeta(params: JsonObject): JsonObject {
    const { _meta, ...rest } = params;
    return {
      ...rest,
      _meta: {
        ...(_meta as JsonObject | undefined),
        [META.version]: this.revision,
        [META.capabilities]: this.client.capabilities,
        [META.client]: this.client.clientInfo,
      },
    };
  }
}
