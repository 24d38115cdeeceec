import type { GatewayApi } from '../../gateway';
// Imports the file instead of the index, so that the first download does not include the codecs of
// the pages.
import { pairsOf, type SearchRecord } from '../../url/search-text';

/** Settings of one column. */
export interface ColumnSettings {
  /** `@slug` of a provider, `config:slug`, or `draft`; empty when not chosen yet. */
  readonly target: string;
  /** Name of the model; empty when the config sets it. */
  readonly model: string;
  /** Temperature of the column; null for the shared one. */
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

/** Settings of the playground in its URL. They never contain texts of requests. */
export interface PlaygroundSettings {
  readonly api: GatewayApi;
  readonly columns: readonly ColumnSettings[];
  /** Shared temperature; null for the provider's default. */
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly isStreamed: boolean;
  /** Id of the replayed log; null for none. */
  readonly log: string | null;
  /**
   * `columns` shows responses side by side; `tests` shows the rows of a test set by these columns.
   */
  readonly view: PlaygroundView;
}

export type PlaygroundView = 'columns' | 'tests';

export const COLUMNS_MAX = 6;
export const TEMPERATURE_MAX = 2;
const TOKENS_MAX = 1_000_000;
const TEXT_MAX = 300;
export const APIS: readonly GatewayApi[] = [
  ...(['chat', 'responses', 'messages', 'raw'] as const),
  ...([
    'completions',
    'embeddings',
    'moderations',
    'images',
    'speech',
    'transcriptions',
    'translations',
  ] as const),
];
/** Target of a column that uses the config written on the page. */
export const DRAFT_TARGET = 'draft';

export const NEW_COLUMN: ColumnSettings = { target: '', model: '', temperature: null, maxTokens: null };
const DEFAULTS: PlaygroundSettings = {
  api: 'chat',
  columns: [NEW_COLUMN],
  temperature: null,
  maxTokens: null,
  isStreamed: true,
  log: null,
  view: 'columns',
};

const temperatureOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d(?:\.\d{1,2})?$/.test(text) && Number(text) <= TEMPERATURE_MAX
    ? Number(text)
    : null;
const tokensOf = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,6}$/.test(text) && Number(text) <= TOKENS_MAX ? Number(text) : null;

/** Returns a temperature that the address can hold; null for any other value. */
export const heldTemperature = (value: unknown): number | null =>
  typeof value === 'number' ? temperatureOf(String(value)) : null;
/** Returns a number of tokens that the address can hold; null for any other value. */
export const heldTokens = (value: unknown): number | null =>
  typeof value === 'number' ? tokensOf(String(value)) : null;

/**
 * Encodes a column as `@openai/gpt-4o;temperature=0.2;max_tokens=800`. A slug cannot contain a
 * semicolon; in a model it becomes `%3B`.
 */
function encodeColumn({ target, model, temperature, maxTokens }: ColumnSettings): string {
  const text = `${target}/${model.replaceAll('%', '%25').replaceAll(';', '%3B')}`;
  const parts = [text];
  if (temperature !== null) parts.push(`temperature=${String(temperature)}`);
  if (maxTokens !== null) parts.push(`max_tokens=${String(maxTokens)}`);
  return parts.join(';');
}

function decodeColumn(text: string): ColumnSettings | null {
  const [way = '', ...rest] = text.split(';');
  const slash = way.indexOf('/');
  const target = slash < 0 ? way : way.slice(0, slash);
  if (text.length > TEXT_MAX || !/^(?:(?:@|config:)[\w.-]+|draft)?$/.test(target)) return null;
  const members = new Map(rest.map((part) => part.split('=') as [string, string]));
  return {
    target,
    model:
      slash < 0
        ? ''
        : way
            .slice(slash + 1)
            .replaceAll('%3B', ';')
            .replaceAll('%25', '%'),
    temperature: temperatureOf(members.get('temperature')),
    maxTokens: tokensOf(members.get('max_tokens')),
  };
}

const isSet = ({ target, model, temperature, maxTokens }: ColumnSettings): boolean =>
  target !== '' || model !== '' || temperature !== null || maxTokens !== null;

/** Parses the settings of a URL; ignores invalid parameters. */
export function decodePlayground(search: Readonly<Record<string, unknown>>): PlaygroundSettings {
  const pairs = pairsOf(search);
  const valueOf = (key: string): string | undefined => pairs.find(([name]) => name === key)?.[1];
  const columns = pairs
    .filter(([name]) => name === 'c')
    .flatMap(([, text]) => decodeColumn(text) ?? [])
    .slice(0, COLUMNS_MAX);
  const log = valueOf('log');
  return {
    api: APIS.find((api) => api === valueOf('api')) ?? DEFAULTS.api,
    columns: columns.length === 0 ? DEFAULTS.columns : columns,
    temperature: temperatureOf(valueOf('temperature')),
    maxTokens: tokensOf(valueOf('max_tokens')),
    isStreamed: valueOf('stream') !== '0',
    log: log !== undefined && /^[\w-]{1,64}$/.test(log) ? log : null,
    view: valueOf('view') === 'tests' ? 'tests' : DEFAULTS.view,
  };
}

/** Encodes the settings that differ from those of a new playground. */
export function encodePlayground(settings: PlaygroundSettings): SearchRecord {
  const { api, columns, temperature, maxTokens, isStreamed, log, view } = settings;
  const [only] = columns;
  const hasColumns = columns.length > 1 || (only !== undefined && isSet(only));
  return {
    ...(log === null ? {} : { log }),
    ...(api === DEFAULTS.api ? {} : { api }),
    ...(hasColumns ? { c: columns.map(encodeColumn) } : {}),
    ...(temperature === null ? {} : { temperature: String(temperature) }),
    ...(maxTokens === null ? {} : { max_tokens: String(maxTokens) }),
    ...(isStreamed ? {} : { stream: '0' }),
    ...(view === DEFAULTS.view ? {} : { view }),
  };
}
