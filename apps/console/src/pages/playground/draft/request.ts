import { generatesText, isRecordingApi, type GatewayApi, type RunRequest } from '../../../gateway';
import type { Json } from '../../../ui/body/conversation';
import { DRAFT_TARGET, type ColumnSettings, type PlaygroundSettings } from '../search';
import { withAttachments } from './attachment';
import { configHeader, filled, inputOf, isRawPath, isSendable, type Draft, type DraftMessage } from './draft';

const CONFIG = 'config:';
/** `max_tokens` for the API *messages*, which requires one. */
const MESSAGES_TOKENS = 1024;

/** Slug of the config of a column; null: it goes through a provider. */
export const configOf = ({ target }: ColumnSettings): string | null =>
  target.startsWith(CONFIG) ? target.slice(CONFIG.length) : null;

export const targetOfConfig = (slug: string): string => CONFIG + slug;

/** The way of a column in headers of the gateway; `draft` is JSON of the config that is written on the page. */
export function headersOf(column: ColumnSettings, draft = ''): Readonly<Record<string, string>> {
  if (column.target === DRAFT_TARGET) return { 'x-gw-config': configHeader(draft) ?? draft };
  const config = configOf(column);
  if (config !== null) return { 'x-gw-config': config };
  return column.target === '' ? {} : { 'x-gw-provider': column.target };
}

interface Parts {
  /** Input for APIs without a conversation. */
  readonly input: string;
  readonly system: string;
  readonly messages: readonly Json[];
  readonly tokens: number | null;
  readonly isStreamed: boolean;
}

/** A member, unless it has no value. */
const member = (name: string, value: unknown): Json =>
  value === null || value === '' ? {} : { [name]: value };

const USUAL_VOICE = 'alloy';

/** Messages, or the input, and the largest output as each API has them. */
const WRITERS: Readonly<Record<GatewayApi, (parts: Parts) => Json>> = {
  messages: ({ system, messages, tokens }) => ({
    max_tokens: tokens ?? MESSAGES_TOKENS,
    ...member('system', system),
    messages,
  }),
  responses: ({ system, messages, tokens }) => ({
    ...member('max_output_tokens', tokens),
    ...member('instructions', system),
    input: messages,
  }),
  chat: ({ system, messages, tokens, isStreamed }) => ({
    ...member('max_tokens', tokens),
    ...(isStreamed ? { stream_options: { include_usage: true } } : {}),
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
  }),
  completions: ({ input, tokens }) => ({ ...member('max_tokens', tokens), prompt: input }),
  embeddings: ({ input }) => ({ input }),
  moderations: ({ input }) => ({ input }),
  images: ({ input }) => ({ prompt: input }),
  speech: ({ input }) => ({ voice: USUAL_VOICE, input }),
  transcriptions: ({ input }) => member('prompt', input),
  translations: ({ input }) => member('prompt', input),
  raw: () => ({}),
};

/** APIs without a system prompt and roles: one text is their input. */
export const isSingleInput = (api: GatewayApi): boolean =>
  api !== 'raw' && !['chat', 'responses', 'messages'].includes(api);

/** The body that a column sends. */
export function bodyOf(settings: PlaygroundSettings, column: ColumnSettings, draft: Draft): Json {
  const { api } = settings;
  const isText = generatesText(api);
  const isStreamed = settings.isStreamed && isText;
  const written = draft.messages
    .filter(({ content }) => content.length > 0)
    .flatMap((message) => messageOf(message, draft));
  const messages = withAttachments(api, written, draft.attachments);
  return {
    ...member('model', column.model),
    ...(isText ? member('temperature', column.temperature ?? settings.temperature) : {}),
    ...(isStreamed ? { stream: true } : {}),
    ...WRITERS[api]({
      input: inputOf(draft),
      system: filled(draft.system, draft.variables),
      messages,
      tokens: column.maxTokens ?? settings.maxTokens,
      isStreamed,
    }),
    ...draft.rest,
  };
}

/** A message of parts that are messages themselves, as a replay keeps them, is sent as it was. */
function messageOf({ role, content }: DraftMessage, { variables }: Draft): readonly Json[] {
  if (typeof content !== 'string') return role === 'other' ? content : [{ role, content }];
  return [{ role: role === 'other' ? 'user' : role, content: filled(content, variables) }];
}

/** Builds the request of a column to the gateway. */
export function requestOf(
  workspaceId: string,
  settings: PlaygroundSettings,
  column: ColumnSettings,
  draft: Draft,
): RunRequest {
  const { api } = settings;
  const shared = { workspaceId, api, headers: headersOf(column, draft.config) };
  if (api !== 'raw') {
    const body = bodyOf(settings, column, draft);
    return { ...shared, body: isRecordingApi(api) ? formOf(body, draft.recording) : body };
  }
  const { method, path, body } = draft.raw;
  return { ...shared, method, path, body: method === 'GET' || body === '' ? null : body };
}

/** A recording with the members of a body; those that are no scalars are JSON. */
function formOf(body: Json, recording: File | null): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  if (recording !== null) form.append('file', recording, recording.name);
  return form;
}

/** Whether there is something to send by an API. */
export function hasContent(api: GatewayApi, draft: Draft): boolean {
  if (api === 'raw') return isRawPath(draft.raw.path);
  return isRecordingApi(api) ? draft.recording !== null : isSendable(draft);
}

/** Whether a column can be sent: it has a way, and what goes that way is whole. */
export function canSend({ api }: PlaygroundSettings, { target }: ColumnSettings, draft: Draft): boolean {
  if (target === DRAFT_TARGET && configHeader(draft.config) === null) return false;
  return (api === 'raw' || target !== '') && hasContent(api, draft);
}
