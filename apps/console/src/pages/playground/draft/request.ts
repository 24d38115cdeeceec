import { generatesText, isRecordingApi, type GatewayApi, type RunRequest } from '../../../gateway';
import type { Json } from '../../../ui/body/conversation';
import { DRAFT_TARGET, type ColumnSettings, type PlaygroundSettings } from '../search';
import { withAttachments } from './attachment';
import { configHeader, filled, inputOf, isRawPath, isSendable, type Draft, type DraftMessage } from './draft';

const CONFIG = 'config:';
/** Default `max_tokens` of the API *messages*, which requires it. */
const MESSAGES_TOKENS = 1024;

/** Slug of the config of a column; null when its target is not a saved config. */
export const configOf = ({ target }: ColumnSettings): string | null =>
  target.startsWith(CONFIG) ? target.slice(CONFIG.length) : null;

export const targetOfConfig = (slug: string): string => CONFIG + slug;

/**
 * Headers that select the target of a column. `draft` is the JSON of the config written on the
 * page.
 */
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

/** Returns an object with the member; an empty object when it has no value. */
const member = (name: string, value: unknown): Json =>
  value === null || value === '' ? {} : { [name]: value };

const USUAL_VOICE = 'alloy';

/** Writers of the messages or input and the maximum output, in the format of each API. */
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

/** Whether the API takes a single text instead of a system prompt and messages with roles. */
export const isSingleInput = (api: GatewayApi): boolean =>
  api !== 'raw' && !['chat', 'responses', 'messages'].includes(api);

/** Builds the request body of a column. */
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

/**
 * Converts a message of the draft to messages of the body. Content with the role `other` consists
 * of complete messages of a replay and is sent unchanged.
 */
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

/**
 * Builds the form of a recording with the members of a body; values other than strings are JSON.
 */
function formOf(body: Json, recording: File | null): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  if (recording !== null) form.append('file', recording, recording.name);
  return form;
}

/** Whether the draft has content that the API can send. */
export function hasContent(api: GatewayApi, draft: Draft): boolean {
  if (api === 'raw') return isRawPath(draft.raw.path);
  return isRecordingApi(api) ? draft.recording !== null : isSendable(draft);
}

/** Whether a column can be sent: it has a target and the draft is complete. */
export function canSend({ api }: PlaygroundSettings, { target }: ColumnSettings, draft: Draft): boolean {
  if (target === DRAFT_TARGET && configHeader(draft.config) === null) return false;
  return (api === 'raw' || target !== '') && hasContent(api, draft);
}
