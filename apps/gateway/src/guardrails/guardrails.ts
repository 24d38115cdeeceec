import {
  documentKey,
  guardrailBinding,
  type DefaultGuardrails,
  type DocumentKey,
  type GuardrailDocument,
  type GuardrailSecretContent,
  type ReadModelDocument,
  type SecretLocation,
} from '@gw/contracts';
import {
  configInvalid,
  detail,
  savedGuardrail,
  type ConfigErrorDetail,
  type GuardrailReference,
  type JsonObject,
} from '@gw/config-schema';
import type { CompiledConfig, CompiledTarget } from '@gw/routing';
import {
  compileGuardrail,
  compileInline,
  effectiveGuardrails,
  joinSecrets,
  secretNameOf,
  type CompiledGuardrail,
  type CompileResult,
  type GuardrailStage,
} from '@gw/guardrails';
import { GatewayError, unseal, VendorError, type Keyring } from '@gw/kernel';
import type { SecretResolver } from '@gw/secret-managers';
import { didYouMean } from '../configs/near-slugs';
import type { Documents } from '../auth/documents';
import type { GatewayPrincipal } from '../auth/principals';

/** The guardrails for requests to one target, and for its responses. */
export interface GuardrailLists {
  readonly input: readonly CompiledGuardrail[];
  readonly output: readonly CompiledGuardrail[];
}

/** Guardrail lists by target; targets without guardrails are missing. */
export type GuardrailPlan = ReadonlyMap<CompiledTarget, GuardrailLists>;

interface KnownPlan {
  readonly plan: GuardrailPlan;
  /** The documents from which the plan was built; when one changes, a new plan is built. */
  readonly sources: ReadonlyMap<DocumentKey, ReadModelDocument | null>;
}

type Slugs = ReadonlyMap<string, GuardrailDocument>;

const TARGET_LISTS = { input: 'inputGuardrails', output: 'outputGuardrails' } as const;

/**
 * Finds the guardrails for the requests of a principal under a config: those of the organisation,
 * of the workspace and of each target. A plan is computed once for each version of these sources,
 * and lives as long as principal and config.
 */
export class Guardrails {
  private readonly plans = new WeakMap<GatewayPrincipal, WeakMap<CompiledConfig, KnownPlan>>();
  private readonly saved = new WeakMap<GuardrailDocument, CompiledGuardrail>();
  private readonly inline = {
    input: new WeakMap<object, CompiledGuardrail>(),
    output: new WeakMap<object, CompiledGuardrail>(),
  };

  constructor(
    private readonly documents: Documents,
    private readonly ring: Keyring,
    private readonly resolver: SecretResolver,
    private readonly checkHost: (url: string) => string | null,
  ) {}

  /**
   * Returns the plan of a config; null when no guardrail applies. Throws `config_invalid` when a
   * guardrail is invalid or not available to the workspace.
   */
  of(principal: GatewayPrincipal, config: CompiledConfig): GuardrailPlan | null | Promise<GuardrailPlan> {
    const { workspace, organisation } = principal;
    if (!config.hasGuardrails && !workspace.defaults.guardrails && !organisation.guardrails) return null;
    const known = this.plans.get(principal)?.get(config);
    if (known && this.isCurrent(known)) return known.plan;
    return this.build(principal, config);
  }

  /**
   * Compiles the guardrail of a document for calls of tools. Throws `config_invalid` when it is
   * invalid.
   */
  ofTools(document: GuardrailDocument): CompiledGuardrail {
    const compiled = this.compiled('input', document.slug, document);
    if (isDetails(compiled)) throw configInvalid(compiled);
    return compiled;
  }

  private isCurrent({ sources }: KnownPlan): boolean {
    for (const [key, document] of sources) if (this.documents.get(key) !== document) return false;
    return true;
  }

  private async build(principal: GatewayPrincipal, config: CompiledConfig): Promise<GuardrailPlan> {
    const sources = new Map<DocumentKey, ReadModelDocument | null>();
    const slugs = new Map<string, GuardrailDocument>();
    await Promise.all(
      [...namedBy(principal, config)]
        .filter((slug) => NAME.test(slug))
        .map(async (slug) => {
          const key = documentKey.guardrail(principal.workspace.id, slug);
          const known = this.documents.get(key);
          const document = known === undefined ? await this.documents.load(key) : known;
          sources.set(key, document);
          if (document?.kind === 'guardrail' && document.status === 'active' && document.target === 'llm')
            slugs.set(slug, document);
        }),
    );
    const near = (slug: string): string =>
      didYouMean(this.documents, documentKey.guardrail(principal.workspace.id, ''), slug);
    const plan = new Compilation(
      principal,
      slugs,
      (stage, reference, slug) => this.compiled(stage, reference, slug),
      near,
    ).plan(config);
    const ofPrincipal = this.plans.get(principal) ?? new WeakMap<CompiledConfig, KnownPlan>();
    this.plans.set(principal, ofPrincipal.set(config, { plan, sources }));
    return plan;
  }

  private compiled(
    stage: GuardrailStage,
    reference: GuardrailReference,
    document: GuardrailDocument | null,
  ): CompiledGuardrail | readonly ConfigErrorDetail[] {
    const known =
      typeof reference === 'string'
        ? document && this.saved.get(document)
        : document === null && this.inline[stage].get(reference);
    if (known) return known;
    const result = this.compile(stage, reference, document);
    if (!result.ok) return result.details;
    const { guardrail } = result;
    if (typeof reference !== 'string' && document === null) this.inline[stage].set(reference, guardrail);
    if (typeof reference === 'string' && document !== null) this.saved.set(document, guardrail);
    return guardrail;
  }

  private compile(
    stage: GuardrailStage,
    reference: GuardrailReference,
    document: GuardrailDocument | null,
  ): CompileResult {
    const { checkHost } = this;
    if (document === null) return compileInline(reference as JsonObject, { stage, checkHost });
    const { slug, versionId, actions } = document;
    const own = typeof reference === 'string' ? {} : overridesOf(reference);
    const { parameters, locations } = this.secretsOf(document);
    return compileGuardrail(
      { checks: joinSecrets(document.checks, parameters), actions: { ...actions, ...own } },
      {
        id: slug,
        versionId,
        checkHost,
        secrets: (secret) => this.read(locations[secretNameOf(secret)], document.organisationId),
      },
    );
  }

  private secretsOf({ sealedSecrets, organisationId, id, slug }: GuardrailDocument): GuardrailSecretContent {
    if (sealedSecrets === null) return NO_SECRETS;
    try {
      const text = unseal(this.ring, sealedSecrets, guardrailBinding(organisationId, id)).toString('utf8');
      return JSON.parse(text) as GuardrailSecretContent;
    } catch (cause) {
      throw new GatewayError('internal_error', { detail: { guardrail: slug, reason: 'secrets' }, cause });
    }
  }

  private read(location: SecretLocation | null | undefined, owner: string): string | Promise<string> {
    if (!location) throw new VendorError('refused', 'This workspace may not use the secret reference.');
    return this.resolver.resolve(location, owner);
  }
}

const NO_SECRETS: GuardrailSecretContent = { parameters: {}, locations: {} };

/** Returns the actions that a config sets for a saved guardrail; they override the saved ones. */
const overridesOf = ({ id: _, type: __, guardrail_version_id: ___, ...actions }: JsonObject): JsonObject =>
  actions;

function namedBy(
  { workspace, organisation }: GatewayPrincipal,
  { targets }: CompiledConfig,
): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { input, output } of [organisation.guardrails ?? NONE, workspace.defaults.guardrails ?? NONE]) {
    for (const slug of [...input, ...output]) named.add(slug);
  }
  for (const { inputGuardrails, outputGuardrails } of targets) {
    for (const reference of [...inputGuardrails, ...outputGuardrails]) {
      const slug = savedGuardrail(reference);
      if (slug !== null && slug !== '') named.add(slug);
    }
  }
  return named;
}

const NONE: DefaultGuardrails = { input: [], output: [] };

type Compile = (
  stage: GuardrailStage,
  reference: GuardrailReference,
  document: GuardrailDocument | null,
) => CompiledGuardrail | readonly ConfigErrorDetail[];

/**
 * Compiles the lists of all targets of one config. Targets that inherit a list share its compiled
 * form.
 */
class Compilation {
  private readonly details: ConfigErrorDetail[] = [];
  private readonly lists = {
    input: new Map<unknown, readonly CompiledGuardrail[]>(),
    output: new Map<unknown, readonly CompiledGuardrail[]>(),
  };

  constructor(
    private readonly principal: GatewayPrincipal,
    private readonly slugs: Slugs,
    private readonly compile: Compile,
    /** Returns a sentence that suggests a similar slug; empty when there is none. */
    private readonly suggest: (slug: string) => string,
  ) {}

  plan(config: CompiledConfig): GuardrailPlan {
    const plan = new Map<CompiledTarget, GuardrailLists>();
    for (const target of config.targets) {
      const lists = { input: this.list(target, 'input'), output: this.list(target, 'output') };
      if (lists.input.length + lists.output.length > 0) plan.set(target, lists);
    }
    if (this.details.length > 0) throw configInvalid(this.details.slice(0, DETAILS_MAX));
    return plan;
  }

  private list(target: CompiledTarget, stage: GuardrailStage): readonly CompiledGuardrail[] {
    const references = target[TARGET_LISTS[stage]];
    const key = references.length === 0 ? null : references;
    let list = this.lists[stage].get(key);
    if (!list) {
      const { organisation, workspace } = this.principal;
      list = effectiveGuardrails({
        organisation: this.compileAll(
          organisation.guardrails?.[stage] ?? [],
          stage,
          `defaults.${stage}_guardrails`,
        ),
        isExcluded: workspace.guardrailExclusions?.includes(stage) === true,
        workspace: this.compileAll(
          workspace.defaults.guardrails?.[stage] ?? [],
          stage,
          `defaults.${stage}_guardrails`,
        ),
        config: this.compileAll(references, stage, `${target.path}.${stage}_guardrails`),
      }).filter((guardrail) => guardrail[stage].length > 0);
      this.lists[stage].set(key, list);
    }
    return list;
  }

  private compileAll(
    references: readonly GuardrailReference[],
    stage: GuardrailStage,
    path: string,
  ): readonly CompiledGuardrail[] {
    return references.flatMap((reference, index) => {
      const slug = savedGuardrail(reference) ?? '';
      const document = slug === '' ? null : (this.slugs.get(slug) ?? null);
      const place = `${path}.${String(index)}`;
      if (slug !== '' && document === null) {
        // Only the first error contains a suggestion, to bound the work.
        const near = this.details.length === 0 ? this.suggest(slug).replace(' Did', '; did') : '';
        const message = `names no guardrail of this workspace${near}`;
        this.details.push(detail([place], 'unknown_guardrail', message, slug));
        return [];
      }
      const compiled = this.compile(stage, reference, document);
      if (!isDetails(compiled)) return [compiled];
      for (const each of compiled) this.details.push({ ...each, path: `${place}.${each.path}` });
      return [];
    });
  }
}

/** Form of slugs and ids; any other text cannot name a guardrail. */
const NAME = /^[\w-]{1,255}$/;
const DETAILS_MAX = 100;

const isDetails = (
  compiled: CompiledGuardrail | readonly ConfigErrorDetail[],
): compiled is readonly ConfigErrorDetail[] => Array.isArray(compiled);
