import type { GatewayApi, RunRequest } from '../../../gateway';
import type { Json } from '../../../ui/body/conversation';
import type { ColumnSettings, PlaygroundSettings } from '../search';
import { filled, type Draft, type DraftMessage } from './draft';

const CONFIG = 'config:';
/** Of the API *messages*, which demands one. */
const MESSAGES_TOKENS = 1024;

/** Slug of the config of a column; null: it goes through a provider. */
export const configOf = ({ target }: ColumnSettings): string | null =>
  target.startsWith(CONFIG) ? target.slice(CONFIG.length) : null;

export const targetOfConfig = (slug: string): string => CONFIG + slug;

/** The way of a column in headers of the gateway. */
export function headersOf(column: ColumnSettings): Readonly<Record<string, string>> {
  const config = configOf(column);
  if (config !== null) return { 'x-gw-config': config };
  return column.target === '' ? {} : { 'x-gw-provider': column.target };
}

interface Parts {
  readonly system: string;
  readonly messages: readonly Json[];
  readonly tokens: number | null;
  readonly isStreamed: boolean;
}

/** A member, unless it has no value. */
const member = (name: string, value: unknown): Json =>
  value === null || value === '' ? {} : { [name]: value };

/** Messages and largest output as each API has them. */
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
};

/** The body that a column sends. */
export function bodyOf(settings: PlaygroundSettings, column: ColumnSettings, draft: Draft): Json {
  const { api, isStreamed } = settings;
  const messages = draft.messages
    .filter(({ content }) => content.length > 0)
    .flatMap((message) => messageOf(message, draft));
  return {
    ...draft.rest,
    ...member('model', column.model),
    ...member('temperature', column.temperature ?? settings.temperature),
    ...(isStreamed ? { stream: true } : {}),
    ...WRITERS[api]({
      system: filled(draft.system, draft.variables),
      messages,
      tokens: column.maxTokens ?? settings.maxTokens,
      isStreamed,
    }),
  };
}

/** A message of parts that are messages themselves, as a replay keeps them, is sent as it was. */
function messageOf({ role, content }: DraftMessage, { variables }: Draft): readonly Json[] {
  if (typeof content !== 'string') return role === 'other' ? content : [{ role, content }];
  return [{ role: role === 'other' ? 'user' : role, content: filled(content, variables) }];
}

/** What a column sends through the gateway. */
export const requestOf = (
  workspaceId: string,
  settings: PlaygroundSettings,
  column: ColumnSettings,
  draft: Draft,
): RunRequest => ({
  workspaceId,
  api: settings.api,
  headers: headersOf(column),
  body: bodyOf(settings, column, draft),
});
