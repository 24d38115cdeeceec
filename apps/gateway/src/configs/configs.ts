import { documentKey, HEADER, type ConfigDocument, type DecisionRecord } from '@gw/contracts';
import { configInvalid, type CompiledConfig, type ValidateConfigOptions } from '@gw/config-schema';
import { compileConfig, parseConfig, validateConfig } from '@gw/routing';
import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { didYouMean } from './near-slugs';
import type { Documents } from '../auth/principals';

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

/** Who names a saved config. */
export type ConfigSource = Exclude<DecisionRecord['config']['source'], 'none'>;

/**
 * Memory of compiled inline configs, of all workspaces and of one, by an estimate that errs upwards: measured, a compiled config
 * takes 1 to 20 bytes for each character of its text, and up to 112 where it is made of patterns with many repetitions.
 */
const INLINE_BYTES_MAX = 64 * 1_048_576;
const INLINE_BYTES_OF_WORKSPACE_MAX = 16 * 1_048_576;
const OVERHEAD_BYTES = 1_024;
const BYTES_FOR_CHARACTER = 128;

/** For a request that names no config: one target, whose provider the request names. */
const BARE: CompiledConfig = compileConfig({});

/**
 * Compiles configs, each version once. Inline ones are remembered by workspace and text within a share of memory for each workspace,
 * so that one does not push out another's; at a cap the least recently used are forgotten. Saved ones go with their document.
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

  /** A JSON config of the request. Throws `config_invalid` with every failure. */
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

  /** Bytes of the inline configs that are remembered for a workspace. */
  inlineBytesOf(workspaceId: string): number {
    return this.inlineBytes.get(workspaceId) ?? 0;
  }

  /** Forgets those of the workspace that were not used for longest. */
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

  /** For a request that names no config and brings fields of its provider as headers. Throws `config_invalid`. */
  fromFields(workspaceId: string, fields: Readonly<Record<string, string>>): ResolvedConfig {
    return { ...Configs.none, compiled: this.fromText(workspaceId, JSON.stringify(fields)).compiled };
  }

  /** A saved config by slug or id. Throws `config_not_found`: a config of another workspace does not exist here. */
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
 * Throws `config_invalid` for a stored config that would not be accepted today: only its owner can mend it. What compiles all the
 * same could mean something else than its owner reads in it.
 */
function compiledOf({ slug, config }: ConfigDocument): CompiledConfig {
  const result = validateConfig(config);
  if (result.ok) return compileConfig(result.config);
  const { message } = configInvalid(result.details);
  throw new GatewayError('config_invalid', {
    message: `The saved config "${slug}" can not be used; save it again with a valid content. ${message}`,
    param: HEADER.config,
    details: result.details,
    extra: { config: slug },
  });
}
