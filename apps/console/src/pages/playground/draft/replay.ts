import type { ResponseOf } from '../../../api';
import type { GatewayApi } from '../../../gateway';
import { isJson, listOf, textOf, type Json } from '../../../ui/body/conversation';
import { heldTemperature, heldTokens, NEW_COLUMN, type ColumnSettings } from '../search';
import { newDraft, newMessage, type Draft, type DraftMessage } from './draft';
import { targetOfConfig } from './request';

type Stored = ResponseOf<'logs_get'>;
/** Fields of a log that a replay uses. */
type Log = Pick<Stored, 'route' | 'config_id' | 'credential' | 'request_method' | 'request_url'> & {
  readonly request: Pick<Stored['request'], 'body' | 'encoding' | 'truncated'>;
};

/** A logged request converted to a draft, with its settings. */
export interface Replay {
  readonly draft: Draft;
  readonly api: GatewayApi;
  readonly column: ColumnSettings;
  readonly isStreamed: boolean;
}

/**
 * Why a log cannot be replayed. `absent`: its body is not stored or not visible to the caller.
 * `cut`: its body is truncated. `route`: its path is not below the gateway's base URL, or its body
 * is a form.
 */
export type NoReplay = 'absent' | 'cut' | 'route';

const APIS: Readonly<Record<string, GatewayApi>> = {
  chat: 'chat',
  'chat.completions': 'chat',
  responses: 'responses',
  messages: 'messages',
};

const TOKEN_FIELDS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens'];
/** Members of a body that have an input of their own. */
const FIELDS = ['model', 'messages', 'input', 'instructions', 'system', 'stream', 'stream_options'];

/** Whether the inputs hold a member of a body. A number that they cannot hold is sent unchanged. */
export function isHeld(name: string, value: unknown): boolean {
  if (name === 'temperature') return value === null || heldTemperature(value) !== null;
  if (TOKEN_FIELDS.includes(name)) return value === null || heldTokens(value) !== null;
  return FIELDS.includes(name);
}

/**
 * Converts a log with its bodies to a replay, or returns why that is not possible. A request of an
 * API without inputs of its own becomes a raw call.
 */
export function replayOf(log: Log): Replay | NoReplay {
  const api = APIS[log.route];
  const { body, encoding, truncated } = log.request;
  if (truncated) return 'cut';
  if (api === undefined) return rawReplayOf(log);
  if (encoding !== 'json' || !isJson(body)) return 'absent';
  return {
    api,
    draft: draftOf(api, body),
    column: { ...columnOf(body), target: targetOf(log) },
    isStreamed: body['stream'] === true,
  };
}

/** Version prefix of the gateway's base URL. */
const BASE = '/v1';

function rawReplayOf(log: Log): Replay | NoReplay {
  const { request_method: method, request_url: url } = log;
  const { body, encoding } = log.request;
  if (!url.startsWith(`${BASE}/`) || encoding === 'base64') return 'route';
  if (encoding === null && method !== 'GET') return 'absent';
  const text = encoding === 'json' ? JSON.stringify(body, null, 2) : (textOf(body) ?? '');
  return {
    api: 'raw',
    draft: { ...newDraft(), raw: { method, path: url.slice(BASE.length), body: text } },
    column: { ...NEW_COLUMN, target: targetOf(log) },
    isStreamed: false,
  };
}

/** Column with the model and parameters of a body. A body does not contain the target. */
export const columnOf = (body: Json): ColumnSettings => ({
  target: '',
  model: textOf(body['model']) ?? '',
  temperature: heldTemperature(body['temperature']),
  maxTokens:
    heldTokens(body['max_tokens']) ??
    heldTokens(body['max_output_tokens']) ??
    heldTokens(body['max_completion_tokens']),
});

/** Target of a log, whose `config_id` and `credential` are slugs; empty when it has neither. */
function targetOf({ config_id: config, credential }: Log): string {
  if (config !== null) return targetOfConfig(config);
  return credential === null ? '' : `@${credential}`;
}

/** Converts a body with a conversation to a draft. */
export function draftOf(api: GatewayApi, body: Json): Draft {
  const rest = Object.fromEntries(Object.entries(body).filter(([name, value]) => !isHeld(name, value)));
  const sent = api === 'responses' ? body['input'] : body['messages'];
  const list = typeof sent === 'string' ? [{ role: 'user', content: sent }] : listOf(sent).filter(isJson);
  const [first] = list;
  const isSystem = api === 'chat' && first?.['role'] === 'system' && typeof first['content'] === 'string';
  const named = textOf(body['system']) ?? textOf(body['instructions']) ?? '';
  const kept = typeof body['system'] === 'object' ? { system: body['system'] } : {};
  return {
    ...newDraft(),
    system: isSystem ? (textOf(first['content']) ?? '') : named,
    messages: (isSystem ? list.slice(1) : list).map(messageOf),
    rest: { ...rest, ...kept },
  };
}

/** Converts a message of a body. Texts become editable; anything else is sent unchanged. */
function messageOf(message: Json): DraftMessage {
  const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
  const isPlain = Object.keys(message).every((name) => name === 'role' || name === 'content');
  if (isPlain && typeof content === 'string' && (role === 'user' || role === 'assistant'))
    return newMessage(role, content);
  return newMessage('other', [message]);
}
