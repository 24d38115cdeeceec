import { documentKey, HEADER, type ConfigDocument, type DecisionRecord } from '@gw/contracts';
import { configInvalid, type ValidateConfigOptions } from '@gw/config-schema';
import { compileConfig, parseConfig, validateConfig, type CompiledConfig } from '@gw/routing';
import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { didYouMean } from './near-slugs';
import type { Documents } from '../auth/documents';

export interface ResolvedConfig {
  /** Null for a config that is not saved. */
  readonly id: string | null;
  readonly compiled: CompiledConfig;
  readonly source: DecisionRecord['config'];
}

interface Inline {
  readonly workspaceId: string;
  readonly bytes: number;
  readonly resolved: ResolvedConfig;
}

/** The source of the reference to a saved config: header, key or workspace. */
export type ConfigSource = Exclude<DecisionRecord['config']['source'], 'none'>;

/**
 * Bytes for compiled inline configs, of all workspaces and of one workspace. The estimate errs
 * upwards: compiled configs measured 1 to 20 bytes for each character of text, and up to 112 when
 * they consist of patterns with many repetitions.
 */
const INLINE_BYTES_MAX = 64 * 1_048_576;
const INLINE_BYTES_OF_WORKSPACE_MAX = 16 * 1_048_576;
const OVERHEAD_BYTES = 1_024;
const BYTES_FOR_CHARACTER = 128;

/** Used when a request names no config: one target, whose provider the request names. */
const BARE: CompiledConfig = compileConfig({});

/**
 * Compiles configs, each version once. Inline configs are cached by workspace and text; each
 * workspace has its own share of memory, and the least recently used configs are evicted at the
 * cap. A compiled saved config lives as long as its document.
 */
export class Configs {
  private readonly inlineBytes = new Map<string, number>();
  private readonly inline = new LRUCache<string, Inline>({
    maxSize: INLINE_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ workspaceId, bytes }) => {
      this.count(workspaceId, -bytes);
    },
  });
  private readonly saved = new WeakMap<ConfigDocument, ResolvedConfig>();

  constructor(
    private readonly documents: Documents,
    private readonly options: ValidateConfigOptions,
  ) {}

  static readonly none: ResolvedConfig = {
    id: null,
    compiled: BARE,
    source: { source: 'none', slug: null, versionId: null },
  };

  /** Compiles a JSON config of the request. Throws `config_invalid`, which lists all failures. */
  fromText(workspaceId: string, text: string): ResolvedConfig {
    const key = `${workspaceId} ${text}`;
    const known = this.inline.get(key);
    if (known) return known.resolved;
    const result = parseConfig(text, this.options);
    if (!result.ok) throw configInvalid(result.details);
    const source = { source: 'header', slug: null, versionId: null } as const;
    const resolved = { id: null, compiled: compileConfig(result.config), source };
    const bytes = OVERHEAD_BYTES + text.length * BYTES_FOR_CHARACTER;
    this.makeRoom(workspaceId, bytes);
    this.count(workspaceId, bytes);
    this.inline.set(key, { workspaceId, bytes, resolved });
    return resolved;
  }

  /** Bytes that the cached inline configs of a workspace take. */
  inlineBytesOf(workspaceId: string): number {
    return this.inlineBytes.get(workspaceId) ?? 0;
  }

  /** Evicts the least recently used configs of the workspace. */
  private makeRoom(workspaceId: string, bytes: number): void {
    if (this.inlineBytesOf(workspaceId) + bytes <= INLINE_BYTES_OF_WORKSPACE_MAX) return;
    for (const key of [...this.inline.rkeys()]) {
      if (this.inline.peek(key)?.workspaceId === workspaceId) this.inline.delete(key);
      if (this.inlineBytesOf(workspaceId) + bytes <= INLINE_BYTES_OF_WORKSPACE_MAX) return;
    }
  }

  private count(workspaceId: string, bytes: number): void {
    const sum = this.inlineBytesOf(workspaceId) + bytes;
    if (sum > 0) this.inlineBytes.set(workspaceId, sum);
    else this.inlineBytes.delete(workspaceId);
  }

  /**
   * Returns the config of a request that names none but sends provider fields as headers. Throws
   * `config_invalid`.
   */
  fromFields(workspaceId: string, fields: Readonly<Record<string, string>>): ResolvedConfig {
    return { ...Configs.none, compiled: this.fromText(workspaceId, JSON.stringify(fields)).compiled };
  }

  /**
   * Finds a saved config by slug or id. Throws `config_not_found`, also for a config of another
   * workspace.
   */
  fromDocument(
    workspaceId: string,
    reference: string,
    source: ConfigSource,
  ): ResolvedConfig | Promise<ResolvedConfig> {
    const key = documentKey.config(workspaceId, reference);
    const known = this.documents.get(key);
    if (known === undefined)
      return this.documents.load(key).then((document) => this.of(workspaceId, document, reference, source));
    return this.of(workspaceId, known, reference, source);
  }

  private of(
    workspaceId: string,
    document: unknown,
    reference: string,
    source: ConfigSource,
  ): ResolvedConfig {
    const config = document as ConfigDocument | null;
    if (config?.kind !== 'config' || config.status !== 'active') {
      const near = didYouMean(this.documents, documentKey.config(workspaceId, ''), reference);
      throw new GatewayError('config_not_found', {
        param: HEADER.config,
        message: `No such config in this workspace.${near}`,
        extra: { config: reference },
      });
    }
    const known = this.saved.get(config);
    if (known?.source.source === source) return known;
    const resolved: ResolvedConfig = {
      id: config.id,
      compiled: known?.compiled ?? compiledOf(config),
      source: { source, slug: config.slug, versionId: config.versionId },
    };
    this.saved.set(config, resolved);
    return resolved;
  }
}

/**
 * Compiles a stored config. Throws `config_invalid` when it is not valid under the current rules,
 * even if it would compile: it could behave differently from what its owner intended.
 */
function compiledOf({ slug, config }: ConfigDocument): CompiledConfig {
  const result = validateConfig(config);
  if (result.ok) return compileConfig(result.config);
  const { message } = configInvalid(result.details);
  throw new GatewayError('config_invalid', {
    message: `The saved config "${slug}" is not valid any more; correct it and save it again. ${message}`,
    param: HEADER.config,
    details: result.details,
    extra: { config: slug },
  });
}
