import { documentKey, HEADER, type ConfigDocument, type DecisionRecord } from '@gw/contracts';
import {
  compileConfig,
  configInvalid,
  parseConfig,
  type CompiledConfig,
  type GatewayConfig,
  type ValidateConfigOptions,
} from '@gw/config-schema';
import { GatewayError } from '@gw/kernel';
import type { Documents } from './principals';

export interface ResolvedConfig {
  /** Null for a config that is not saved. */
  readonly id: string | null;
  readonly compiled: CompiledConfig;
  readonly source: DecisionRecord['config'];
}

/** Who names a saved config. */
export type ConfigSource = Exclude<DecisionRecord['config']['source'], 'none'>;

const INLINE_CAPACITY = 1_000;

/** For a request that names no config: one target, whose provider the request names. */
const BARE: CompiledConfig = compileConfig({});

/**
 * Compiles configs, each version once. Inline ones are remembered by their text (at the cap all are forgotten, which costs one
 * compilation each); saved ones by their document.
 */
export class Configs {
  private readonly inline = new Map<string, ResolvedConfig>();
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
  fromText(text: string): ResolvedConfig {
    const known = this.inline.get(text);
    if (known) return known;
    const result = parseConfig(text, this.options);
    if (!result.ok) throw configInvalid(result.details);
    const source = { source: 'header', slug: null, versionId: null } as const;
    const resolved = { id: null, compiled: compileConfig(result.config), source };
    if (this.inline.size >= INLINE_CAPACITY) this.inline.clear();
    this.inline.set(text, resolved);
    return resolved;
  }

  /** For a request that names no config and brings fields of its provider as headers. Throws `config_invalid`. */
  fromFields(fields: Readonly<Record<string, string>>): ResolvedConfig {
    return { ...Configs.none, compiled: this.fromText(JSON.stringify(fields)).compiled };
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
      return this.documents.load(key).then((document) => this.of(document, reference, source));
    return this.of(known, reference, source);
  }

  private of(document: unknown, reference: string, source: ConfigSource): ResolvedConfig {
    const config = document as ConfigDocument | null;
    if (config?.kind !== 'config' || config.status !== 'active') {
      throw new GatewayError('config_not_found', { param: HEADER.config, extra: { config: reference } });
    }
    const known = this.saved.get(config);
    if (known?.source.source === source) return known;
    const resolved: ResolvedConfig = {
      id: config.id,
      compiled: known?.compiled ?? compileConfig(config.config as GatewayConfig),
      source: { source, slug: config.slug, versionId: config.versionId },
    };
    this.saved.set(config, resolved);
    return resolved;
  }
}
