import type { RunRequest } from '../../../gateway';
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

/** The body that a column sends. */
export function bodyOf(settings: PlaygroundSettings, column: ColumnSettings, draft: Draft): Json {
  const { api, isStreamed } = settings;
  const temperature = column.temperature ?? settings.temperature;
  const tokens = column.maxTokens ?? settings.maxTokens;
  const shared = {
    ...draft.rest,
    ...(column.model === '' ? {} : { model: column.model }),
    ...(temperature === null ? {} : { temperature }),
    ...(isStreamed ? { stream: true } : {}),
  };
  const system = filled(draft.system, draft.variables);
  const messages = draft.messages
    .filter(({ content }) => content.length > 0)
    .flatMap((message) => messageOf(message, draft));
  if (api === 'messages')
    return {
      ...shared,
      max_tokens: tokens ?? MESSAGES_TOKENS,
      ...(system === '' ? {} : { system }),
      messages,
    };
  if (api === 'responses')
    return {
      ...shared,
      ...(tokens === null ? {} : { max_output_tokens: tokens }),
      ...(system === '' ? {} : { instructions: system }),
      input: messages,
    };
  return {
    ...shared,
    ...(tokens === null ? {} : { max_tokens: tokens }),
    ...(isStreamed ? { stream_options: { include_usage: true } } : {}),
    messages: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
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
