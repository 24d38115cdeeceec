import { flag, optional, SettingsError, url, type Setting } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { parsePriceFile, type PriceFile } from './price-file';

/**
 * Settings of the sources of model prices and capabilities besides the built-in catalogue. Each
 * path is a folder with one `<provider>.json` per provider. The caller's `folder` setting checks
 * the path, because this library reads no files.
 */
export const modelConfigSettings = (folder: Setting<string>) => ({
  MODEL_CONFIGS_PROXY_FETCH_ENABLED: flag(false),
  MODEL_CONFIGS_PROXY_URL: optional(url({ protocols: ['https:', 'http:'] })),
  MODEL_CONFIGS_PRICING_LOG_STORE_PATH: optional(folder),
  MODEL_CONFIGS_CAPABILITIES_LOG_STORE_PATH: optional(folder),
  MODEL_CONFIGS_CAPABILITIES_LOCAL_PATH: optional(folder),
  MODEL_CONFIGS_PRICING_LOCAL_PATH: optional(folder),
});

export interface ModelConfigSettings {
  readonly MODEL_CONFIGS_PROXY_FETCH_ENABLED: boolean;
  readonly MODEL_CONFIGS_PROXY_URL: string | null;
  readonly MODEL_CONFIGS_PRICING_LOG_STORE_PATH: string | null;
  readonly MODEL_CONFIGS_CAPABILITIES_LOG_STORE_PATH: string | null;
  readonly MODEL_CONFIGS_CAPABILITIES_LOCAL_PATH: string | null;
  readonly MODEL_CONFIGS_PRICING_LOCAL_PATH: string | null;
}

/** Returns whether any source is set. */
export const hasPriceSources = (settings: ModelConfigSettings): boolean =>
  Object.entries(settings).some(
    ([name, value]) => name.startsWith('MODEL_CONFIGS_') && value !== null && value !== false,
  );

export type ModelConfigKind = 'pricing' | 'general';
export type ModelConfigSource = 'proxy' | 'log_store' | 'local';

/**
 * Read JSON documents; each must bound its time and size. Return null when there is no such
 * document, and reject when it cannot be read.
 */
export interface ModelConfigReaders {
  fetch(url: string): Promise<unknown>;
  logStore(path: string): Promise<unknown>;
  file(path: string): Promise<unknown>;
}

export interface ModelConfigAlarm {
  readonly kind: ModelConfigKind;
  readonly provider: string;
  readonly source: ModelConfigSource;
  /** Names the invalid place. */
  readonly reason: string;
}

export interface ModelConfigsOptions {
  readonly settings: ModelConfigSettings;
  readonly readers: ModelConfigReaders;
  /**
   * Called when a source failed or its document is invalid; the next source, or the last valid
   * document, is used.
   */
  readonly alarm: (alarm: ModelConfigAlarm) => void;
  /** Returns Unix milliseconds. */
  readonly clock?: () => number;
}

/**
 * Model documents by provider. Sources in order: memory for an hour, proxy service, log store,
 * local files.
 */
export interface ModelConfigs {
  /**
   * Returns the loaded prices: undefined when they are not loaded yet, null when no source has any.
   * Starts to load prices that are missing or older than an hour, and returns the old ones
   * meanwhile.
   */
  prices(provider: string): PriceFile | null | undefined;
  /** Loads missing or expired prices and returns them; null when no source has any. */
  load(provider: string): Promise<PriceFile | null>;
  /** Returns the unparsed document of a provider's capabilities; null when no source has one. */
  capabilities(provider: string): Promise<unknown>;
  /**
   * Returns the failures of the last read of each document, at most one per source; empty when
   * there were none.
   */
  faults(): readonly ModelConfigAlarm[];
}

const MEMORY_MS = 3_600_000;
/**
 * Interval after which documents are read again when a source failed and no other had a valid one.
 */
const RETRY_MS = 60_000;
/**
 * Maximum number of providers kept; the least recently used one is dropped with its last valid
 * document.
 */
const PROVIDERS_MAX = 512;
/** A name that is valid as a file name and as a single path segment. */
const PROVIDER = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Creates the sources. Throws `SettingsError` for settings that conflict. */
export function createModelConfigs({
  settings,
  readers,
  alarm,
  clock = Date.now,
}: ModelConfigsOptions): ModelConfigs {
  if (settings.MODEL_CONFIGS_PROXY_FETCH_ENABLED && settings.MODEL_CONFIGS_PROXY_URL === null) {
    const rule = 'is required with MODEL_CONFIGS_PROXY_FETCH_ENABLED=ON';
    throw new SettingsError([{ name: 'MODEL_CONFIGS_PROXY_URL', rule }]);
  }
  const sources = {
    pricing: sourcesOf('pricing', settings, readers),
    general: sourcesOf('general', settings, readers),
  };
  const prices = createDocumentCache('pricing', sources.pricing, parsePriceFile, alarm, clock);
  const general = createDocumentCache('general', sources.general, checkedObject, alarm, clock);
  return {
    prices: (provider) => prices.now(provider),
    load: (provider) => prices.load(provider),
    capabilities: (provider) => general.load(provider),
    faults: () => [...prices.faults(), ...general.faults()],
  };
}

interface Source {
  readonly name: ModelConfigSource;
  read(provider: string): Promise<unknown>;
}

function sourcesOf(
  kind: ModelConfigKind,
  settings: ModelConfigSettings,
  readers: ModelConfigReaders,
): Source[] {
  const proxy = settings.MODEL_CONFIGS_PROXY_FETCH_ENABLED ? settings.MODEL_CONFIGS_PROXY_URL : null;
  const pricing = kind === 'pricing';
  const logStore = pricing
    ? settings.MODEL_CONFIGS_PRICING_LOG_STORE_PATH
    : settings.MODEL_CONFIGS_CAPABILITIES_LOG_STORE_PATH;
  const local = pricing
    ? settings.MODEL_CONFIGS_PRICING_LOCAL_PATH
    : settings.MODEL_CONFIGS_CAPABILITIES_LOCAL_PATH;
  const under = (folder: string, name: string): string => `${folder.replace(/(?<!\/)\/+$/, '')}/${name}`;
  const sources: Source[] = [];
  if (proxy !== null) {
    sources.push({ name: 'proxy', read: (provider) => readers.fetch(under(proxy, `${kind}/${provider}`)) });
  }
  if (logStore !== null) {
    sources.push({
      name: 'log_store',
      read: (provider) => readers.logStore(under(logStore, `${provider}.json`)),
    });
  }
  if (local !== null) {
    sources.push({ name: 'local', read: (provider) => readers.file(under(local, `${provider}.json`)) });
  }
  return sources;
}

interface CachedDocument<T> {
  value: T | null | undefined;
  staleAt: number;
  loading: Promise<T | null> | null;
  faults: readonly ModelConfigAlarm[];
}

/**
 * Returns the first source's document; null when every source that has one is invalid or
 * unreadable.
 */
async function readFirst<T>({
  kind,
  provider,
  sources,
  parse,
  alarm,
}: {
  readonly kind: ModelConfigKind;
  readonly provider: string;
  readonly sources: readonly Source[];
  readonly parse: (document: unknown) => T;
  readonly alarm: (alarm: ModelConfigAlarm) => void;
}): Promise<{ readonly value: T | null; readonly faults: readonly ModelConfigAlarm[] }> {
  const faults: ModelConfigAlarm[] = [];
  for (const source of sources) {
    try {
      const document = await source.read(provider);
      if (document === null || document === undefined) continue;
      return { value: parse(document), faults };
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'the source could not be read';
      const fault = { kind, provider, source: source.name, reason };
      faults.push(fault);
      alarm(fault);
    }
  }
  return { value: null, faults };
}

function createDocumentCache<T>(
  kind: ModelConfigKind,
  sources: readonly Source[],
  parse: (document: unknown) => T,
  alarm: (alarm: ModelConfigAlarm) => void,
  clock: () => number,
): {
  now(provider: string): T | null | undefined;
  load(provider: string): Promise<T | null>;
  faults(): readonly ModelConfigAlarm[];
} {
  const documents = new LRUCache<string, CachedDocument<T>>({ max: PROVIDERS_MAX });

  const refresh = (provider: string, entry: CachedDocument<T>): Promise<T | null> => {
    entry.loading ??= readFirst({ kind, provider, sources, parse, alarm }).then(({ value, faults }) => {
      const failed = value === null && faults.length > 0;
      entry.loading = null;
      entry.faults = faults;
      // A valid document stays when its successor is invalid or unavailable.
      entry.value = failed ? (entry.value ?? null) : value;
      entry.staleAt = clock() + (failed ? RETRY_MS : MEMORY_MS);
      return entry.value;
    });
    return entry.loading;
  };

  const entryOf = (provider: string): CachedDocument<T> => {
    const known = documents.get(provider);
    if (known) return known;
    const entry: CachedDocument<T> = { value: undefined, staleAt: -Infinity, loading: null, faults: [] };
    documents.set(provider, entry);
    return entry;
  };

  return {
    now(provider) {
      if (sources.length === 0 || !PROVIDER.test(provider)) return null;
      const entry = entryOf(provider);
      if (entry.staleAt <= clock()) void refresh(provider, entry);
      return entry.value;
    },
    async load(provider) {
      if (sources.length === 0 || !PROVIDER.test(provider)) return null;
      const entry = entryOf(provider);
      return entry.staleAt <= clock() ? refresh(provider, entry) : (entry.value ?? null);
    },
    faults: () => [...documents.values()].flatMap((entry) => entry.faults),
  };
}

function checkedObject(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error('the file must be an object');
  }
  return document;
}
