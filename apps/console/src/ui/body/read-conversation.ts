import { isJson, type Conversation, type Dialect, type Json } from './conversation';
import { DIALECTS } from './dialects';
import { assembled, eventsOf } from './streams';

/** A body as the API returns it. */
export interface LoggedBody {
  readonly content_type: string | null;
  /** Bytes on the wire. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly encoding: 'json' | 'utf8' | 'base64' | null;
  readonly body: unknown;
}

const ROUTES: Readonly<Record<string, Dialect>> = {
  'chat.completions': 'chat',
  chat: 'chat',
  responses: 'responses',
  messages: 'messages',
  completions: 'completions',
  embeddings: 'embeddings',
};

/**
 * Reads the conversation of a log; null when the route has none or its bodies do not have the
 * expected form.
 */
export function readConversation(
  route: string,
  request: LoggedBody | null,
  response: LoggedBody | null,
): Conversation | null {
  const dialect = Object.hasOwn(ROUTES, route) ? ROUTES[route] : undefined;
  if (dialect === undefined) return null;
  const { request: readRequest, response: readResponse } = DIALECTS[dialect];
  const sent = jsonOf(request);
  const received = responseOf(dialect, response);
  const conversation = {
    request: sent === null ? [] : readRequest(sent),
    // A successful response of the Responses API has `error: null`.
    response: received === null || (received['error'] ?? null) !== null ? [] : readResponse(received),
  };
  return conversation.request.length + conversation.response.length === 0 ? null : conversation;
}

const jsonOf = (body: LoggedBody | null): Json | null =>
  body !== null && body.encoding === 'json' && isJson(body.body) ? body.body : null;

/**
 * Returns the JSON of a response. A stream is logged as text and assembled here; null when there is
 * no JSON.
 */
function responseOf(dialect: Dialect, body: LoggedBody | null): Json | null {
  if (body?.encoding !== 'utf8' || typeof body.body !== 'string') return jsonOf(body);
  const events = eventsOf(body.body);
  return events.length === 0 ? null : assembled(dialect, events);
}
