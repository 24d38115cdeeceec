import { HEADER } from '@gw/contracts';
import { GatewayError, type ErrorType } from '@gw/kernel';
import type { Guardrails } from '../guardrails/guardrails';
import { addressHeaderOf, providerFieldsOf } from '../accept/provider-headers';
import { Configs, type ResolvedConfig } from './configs';
import { heldRequestMetadata } from '../auth/metadata-rules';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext, GatewayHeaders, Stage } from '../core/request-context';
import { guard } from '../guardrails/guarding';
import { useConfig } from './use-config';
import { type GuardTools } from '../guardrails/guarded-request';

/**
 * Finds the config of the request: from the header, or the key's default, or the workspace's
 * default.
 */
export class ResolveStage implements Stage {
  constructor(
    private readonly configs: Configs,
    private readonly guardrails: Guardrails,
    private readonly tools: GuardTools,
  ) {}

  run(context: RequestContext): void | Promise<void> {
    const principal = context.principal as GatewayPrincipal;
    refuseEmpty(context.gw);
    if (principal.savedOnly) refuseInline(context);
    const resolved = this.find(context, principal);
    if (resolved instanceof Promise) return resolved.then((config) => this.apply(context, principal, config));
    return this.apply(context, principal, resolved);
  }

  private apply(
    context: RequestContext,
    principal: GatewayPrincipal,
    resolved: ResolvedConfig,
  ): void | Promise<void> {
    useConfig(context, resolved);
    addMetadata(context, principal);
    const plan = this.guardrails.of(principal, resolved.compiled);
    if (plan === null) return undefined;
    if (plan instanceof Promise) return plan.then((made) => guard(context, made, this.tools));
    guard(context, plan, this.tools);
    return undefined;
  }

  private find(
    { gw, req }: RequestContext,
    principal: GatewayPrincipal,
  ): ResolvedConfig | Promise<ResolvedConfig> {
    const { key, workspace } = principal;
    const byKey = ownConfigOf(principal);
    if (gw.config !== null) {
      if (!key.defaults.allowConfigOverride && byKey !== null)
        return this.ownOnly(workspace.id, byKey, gw.config);
      return isInline(gw.config)
        ? this.configs.fromText(workspace.id, gw.config)
        : this.configs.fromDocument(workspace.id, gw.config, 'header');
    }
    if (byKey !== null) return this.configs.fromDocument(workspace.id, byKey, 'key');
    const byWorkspace = workspace.defaults.config;
    if (byWorkspace !== null) return this.configs.fromDocument(workspace.id, byWorkspace, 'workspace');
    // Provider fields apply only to providers that are not saved; a saved one has its own fields.
    const fields = gw.provider?.startsWith('@') === false ? providerFieldsOf(req.headers) : null;
    return fields === null ? Configs.none : this.configs.fromFields(workspace.id, fields);
  }

  /**
   * Returns the key's own config. The request may name it by id or slug, and may name no other
   * config.
   */
  private async ownOnly(workspaceId: string, byKey: string, named: string): Promise<ResolvedConfig> {
    const own = await this.configs.fromDocument(workspaceId, byKey, 'key');
    if (named === byKey || named === own.source.slug || named === own.id) return own;
    throw new GatewayError('config_override_forbidden', { param: HEADER.config });
  }
}

/**
 * Returns the key's default config; for a user key without one, the workspace's default for user
 * keys.
 */
function ownConfigOf({ key, workspace }: GatewayPrincipal): string | null {
  if (key.defaults.config !== null) return key.defaults.config;
  return key.type === 'workspace-user' ? (workspace.defaults.userKeyConfig ?? null) : null;
}

/** Merges metadata; values of the workspace and the key take precedence over the request's. */
function addMetadata(context: RequestContext, { key, workspace, organisation }: GatewayPrincipal): void {
  const [ofKey, ofWorkspace] = [key.defaults.metadata, workspace.defaults.metadata];
  // The key's own object, when there is nothing to merge: the log's record of it is written once
  // (`writeMetadata`).
  if (!hasEntries(context.metadata) && !hasEntries(ofWorkspace)) context.metadata = ofKey;
  else if (hasEntries(ofKey) || hasEntries(ofWorkspace)) {
    context.metadata = { ...context.metadata, ...ofKey, ...ofWorkspace };
  }
  context.metadata = heldRequestMetadata(organisation, context.metadata);
}

const hasEntries = (map: Readonly<Record<string, string>>): boolean => {
  for (const _ in map) return true;
  return false;
};

/** A slug or an id names a saved config; any other text is an inline config. */
const isInline = (text: string): boolean => !/^[\w-]+$/.test(text);

function refuseEmpty(gw: GatewayHeaders): void {
  const named = [
    [HEADER.provider, gw.provider],
    [HEADER.virtualKey, gw.virtualKey],
    [HEADER.config, gw.config],
    [HEADER.customHost, gw.customHost],
  ] as const;
  for (const [name, value] of named) {
    if (value === '' || value === '@') {
      throw new GatewayError('header_invalid', { param: name, message: `${name} must not be empty.` });
    }
  }
}

/**
 * For saved-only mode. Throws when the request itself sets a provider, an endpoint or an inline
 * config.
 */
function refuseInline({ gw, req }: RequestContext): void {
  const addressHeader = addressHeaderOf(req.headers);
  const violations: readonly (readonly [boolean, ErrorType, string])[] = [
    [gw.config !== null && isInline(gw.config), 'inline_config_blocked', HEADER.config],
    [gw.provider !== null && !gw.provider.startsWith('@'), 'inline_provider_blocked', HEADER.provider],
    [gw.customHost !== null, 'inline_custom_host_blocked', HEADER.customHost],
    [addressHeader !== null, 'inline_provider_url_blocked', addressHeader ?? ''],
    [gw.forwardHeaders !== null, 'inline_forward_headers_blocked', HEADER.forwardHeaders],
  ];
  const first = violations.find(([broken]) => broken);
  if (first) throw new GatewayError(first[1], { param: first[2] });
}
