import { isJson, type Conversation, type Dialect, type Json } from './conversation';
import { DIALECTS } from './dialects';
import { assembled, eventsOf } from './streams';

/** A body as the API shows it. */
export interface LoggedBody {
  readonly content_type: string | null;
  /** On the wire. */
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

/** Null: the route has no conversation, or its bodies are not what the route has. */
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
    response: received === null || 'error' in received ? [] : readResponse(received),
  };
  return conversation.request.length + conversation.response.length === 0 ? null : conversation;
}

const jsonOf = (body: LoggedBody | null): Json | null =>
  body !== null && body.encoding === 'json' && isJson(body.body) ? body.body : null;

/** A stream is logged as its text. */
function responseOf(dialect: Dialect, body: LoggedBody | null): Json | null {
  if (body?.encoding !== 'utf8' || typeof body.body !== 'string') return jsonOf(body);
  const events = eventsOf(body.body);
  return events.length === 0 ? null : assembled(dialect, events);
}
