import { detail, patternsFault, schemaDetail, type ConfigErrorDetail, type Path } from '@gw/config-schema';
import { GatewayError, isObject } from '@gw/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { findCheck } from './catalogue';
import { timeoutOf, type CheckDefinition, type PreparedCheck, type ParameterReport } from './check';
import type { SecretSource } from './secret-reference';
import {
  GUARDRAIL_SCHEMA,
  type GuardrailActions,
  type GuardrailCheckEntry,
  type GuardrailDocument,
} from './document';
import { type JsonObject } from './json';
import { GUARDRAIL_LIMITS } from './bounds';
import type { GuardrailStage } from './subject';
import type { Scope } from './text/scope';
import { arrangeSaved, arrangeInline, type Arranged, type CheckPlace } from './inline';

/**
 * One validation failure: its dotted path (`checks.0.parameters.rule`), the rule, and the invalid
 * value with secrets hidden.
 */
export type GuardrailErrorDetail = ConfigErrorDetail;

export interface CompiledCheck {
  readonly id: string;
  readonly definition: CheckDefinition;
  readonly prepared: PreparedCheck;
  readonly timeoutMs: number;
  /** The texts that the check reads; null when it does not depend on texts. */
  readonly scope: readonly Scope[] | null;
  /** Whether the check counts as failed when it cannot decide. */
  readonly failOnError: boolean;
}

export interface CompiledGuardrail {
  /** Slug, or a name for an inline guardrail. */
  readonly id: string;
  readonly versionId: string | null;
  /** Whether this is a saved guardrail, whose id is unique in its workspace or organisation. */
  readonly isSaved: boolean;
  readonly actions: GuardrailActions;
  /** Only checks that are enabled and run at this stage. */
  readonly input: readonly CompiledCheck[];
  readonly output: readonly CompiledCheck[];
}

export interface CompileOptions {
  readonly id?: string;
  readonly versionId?: string | null;
  /**
   * The stage that the guardrail is listed for; checks of the other stage are refused. When absent,
   * any stage is allowed.
   */
  readonly stage?: GuardrailStage;
  /** `mcp_tools`: for MCP servers, which accept only checks with `allowedForMcpTools`. */
  readonly target?: 'llm' | 'mcp_tools';
  /** Reads secrets that parameters refer to; when absent, references are refused. */
  readonly secrets?: SecretSource;
  /** The address policy: returns why a URL is refused, or null. */
  readonly checkHost?: (url: string) => string | null;
}

export type CompileResult =
  | { readonly ok: true; readonly guardrail: CompiledGuardrail; readonly document: GuardrailDocument }
  | { readonly ok: false; readonly details: readonly GuardrailErrorDetail[] };

/**
 * Validates and compiles the `checks` and `actions` of a saved guardrail. All failures are reported
 * at once, at most 100.
 */
export function compileGuardrail(value: unknown, options: CompileOptions = {}): CompileResult {
  const tooLarge = tooLargeDetail(value);
  if (tooLarge) return { ok: false, details: [tooLarge] };
  return compile(arrangeSaved(isObject(value) ? value : { checks: value }), options, true);
}

/** Like `compileGuardrail`, for an inline guardrail of a config, in the short or the long form. */
export function compileInline(value: JsonObject, options: CompileOptions = {}): CompileResult {
  const tooLarge = tooLargeDetail(value);
  if (tooLarge) return { ok: false, details: [tooLarge] };
  const id = typeof value['id'] === 'string' ? value['id'] : undefined;
  const versionId = value['guardrail_version_id'];
  return compile(
    arrangeInline(value),
    {
      ...(id === undefined ? {} : { id }),
      ...(typeof versionId === 'string' ? { versionId } : {}),
      ...options,
    },
    false,
  );
}

/** Returns the error for an invalid guardrail. `param` names the field that contained it. */
export const guardrailInvalid = (details: readonly GuardrailErrorDetail[], param = 'checks'): GatewayError =>
  new GatewayError('validation_failed', {
    message: 'The guardrail is not valid; see details.',
    param,
    details,
  });

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  useDefaults: true,
  // Coerces no types, so that lists stay as they are written.
  coerceTypes: false,
});
let guardrailSchema: ValidateFunction | undefined;
const parameterSchemas = new Map<string, ValidateFunction>();

/** Compiles a parameter schema on first use, because most processes use few checks. */
function parametersOf(definition: CheckDefinition): ValidateFunction {
  let validate = parameterSchemas.get(definition.id);
  if (!validate) {
    validate = ajv.compile(definition.parameters);
    parameterSchemas.set(definition.id, validate);
  }
  return validate;
}

function compile(arranged: Arranged, options: CompileOptions, isSaved: boolean): CompileResult {
  const details: GuardrailErrorDetail[] = [];
  const { document } = arranged;
  // Compiled for the first guardrail, because that takes longer than loading most modules.
  const matchesSchema = (guardrailSchema ??= ajv.compile(GUARDRAIL_SCHEMA));
  if (!matchesSchema(document)) {
    const errors = (matchesSchema.errors ?? []).slice(0, GUARDRAIL_LIMITS.detailsMax);
    for (const error of errors) details.push(relocated(arranged, schemaDetail(error)));
  }
  const entries = Array.isArray(document['checks']) ? (document['checks'] as readonly unknown[]) : [];
  const actions = isObject(document['actions']) ? (document['actions'] as GuardrailActions) : {};
  const checks: CompiledCheck[] = [];
  entries.slice(0, GUARDRAIL_LIMITS.checksMax).forEach((entry, index) => {
    const place = arranged.places[index];
    if (!place || !isObject(entry) || typeof entry['id'] !== 'string') return;
    const check = compileCheck(entry as unknown as GuardrailCheckEntry, place, actions, options, details);
    if (check) checks.push(check);
  });
  if (details.length > 0) return { ok: false, details: details.slice(0, GUARDRAIL_LIMITS.detailsMax) };
  const checksAt = (stage: GuardrailStage) =>
    checks.filter(({ definition }) => definition.stages.includes(stage));
  const guardrail: CompiledGuardrail = {
    id: options.id ?? 'inline',
    versionId: options.versionId ?? null,
    isSaved,
    actions,
    input: checksAt('input'),
    output: checksAt('output'),
  };
  return { ok: true, guardrail, document: document as unknown as GuardrailDocument };
}

function compileCheck(
  entry: GuardrailCheckEntry,
  place: CheckPlace,
  actions: GuardrailActions,
  options: CompileOptions,
  details: GuardrailErrorDetail[],
): CompiledCheck | null {
  const definition = findCheck(entry.id);
  const idPath = place.check === place.parameters ? place.check : [...place.check, 'id'];
  if (!definition) {
    details.push(detail(idPath, 'unknown_check', 'is not the id of a check', entry.id));
    return null;
  }
  for (const [rule, message] of placementFaults(definition, options)) {
    details.push(detail(idPath, rule, message, entry.id));
  }
  const before = details.length;
  const prepared = prepare(definition, entry.parameters ?? {}, place, options, details);
  if (!prepared || details.length > before || entry.is_enabled === false) return null;
  return {
    id: definition.id,
    definition,
    prepared: prepared.check,
    timeoutMs: entry.timeout ?? actions.timeout ?? timeoutOf(definition, prepared.parameters),
    scope: (prepared.parameters['scope'] as readonly Scope[] | undefined) ?? null,
    failOnError: failsOnError(prepared.parameters, actions),
  };
}

/** Returns the check's own setting, else the guardrail's, else whether the guardrail denies. */
function failsOnError({ failOnError }: JsonObject, { fail_open: failOpen, deny }: GuardrailActions): boolean {
  if (typeof failOnError === 'boolean') return failOnError;
  return failOpen === undefined ? deny === true : !failOpen;
}

/** Yields rule and message for each reason why a check must not be in this guardrail. */
function* placementFaults(definition: CheckDefinition, options: CompileOptions): Generator<[string, string]> {
  const { stage, target } = options;
  if (stage && !definition.stages.includes(stage)) {
    yield ['stage', `runs only on the ${definition.stages.join(' and ')}`];
  }
  if (target === 'mcp_tools' && !definition.allowedForMcpTools) {
    yield [
      'target',
      'is not allowed in a guardrail with the target mcp_tools; docs/guardrails.md lists the allowed checks',
    ];
  }
}

interface Prepared {
  readonly check: PreparedCheck;
  readonly parameters: JsonObject;
}

function prepare(
  definition: CheckDefinition,
  written: JsonObject,
  place: CheckPlace,
  options: CompileOptions,
  details: GuardrailErrorDetail[],
): Prepared | null {
  const parameters = structuredClone(written);
  const validate = parametersOf(definition);
  if (!validate(parameters)) {
    for (const error of (validate.errors ?? []).slice(0, GUARDRAIL_LIMITS.detailsMax)) {
      const found = schemaDetail(error);
      const path = found.path === 'config' ? [] : found.path.split('.');
      details.push(hidden(definition, { ...found, path: [...place.parameters, ...path].join('.') }));
    }
    return null;
  }
  const report: ParameterReport = (path, rule, message, value) => {
    details.push(hidden(definition, detail([...place.parameters, ...path], rule, message, value)));
  };
  const check = definition.prepare(parameters, report, options.secrets);
  checkAddresses(parameters, options, (key, refused, url) => {
    details.push(detail([...place.parameters, key], 'address', refused, url));
  });
  return { check, parameters };
}

function checkAddresses(
  parameters: JsonObject,
  { checkHost }: CompileOptions,
  report: (key: string, refused: string, url: string) => void,
): void {
  for (const [key, value] of Object.entries(parameters)) {
    if (!checkHost || !isAddress(key) || typeof value !== 'string') continue;
    // A list of URLs is separated by commas, which no relevant part of a URL contains.
    const urls = key === 'jwksUri' ? value.split(',').map((url) => url.trim()) : [value];
    for (const url of urls.filter(Boolean)) {
      const refused = checkHost(url);
      if (refused !== null) report(key, refused, url);
    }
  }
}

/** Whether a parameter contains a URL that is called, by the convention for its name. */
const isAddress = (key: string): boolean => /(?:URL|Url|Uri|Endpoint|endpoint)$/.test(key);

/** Hides values of secret parameters and of everything nested in them. */
function hidden(definition: CheckDefinition, found: GuardrailErrorDetail): GuardrailErrorDetail {
  const names = definition.secretParameters ?? [];
  const isSecret = found.path.split('.').some((part) => names.includes(part));
  return isSecret && typeof found.value === 'string' && !found.value.startsWith('(')
    ? { ...found, value: '(hidden)' }
    : found;
}

/** Returns the failure with its path in the form in which the guardrail was written. */
function relocated(arranged: Arranged, found: GuardrailErrorDetail): GuardrailErrorDetail {
  const parts = found.path.split('.');
  const head = parts[0] ?? '';
  if (head === 'actions') return { ...found, path: dotted([...arranged.actionsPath, ...parts.slice(1)]) };
  const place = head === 'checks' && parts.length > 1 ? arranged.places[Number(parts[1])] : undefined;
  if (!place) return head === 'config' ? { ...found, path: 'checks' } : found;
  const rest = parts.slice(2);
  const isBelow = rest[0] === 'parameters';
  const path: Path = isBelow ? [...place.parameters, ...rest.slice(1)] : [...place.check, ...rest];
  return { ...found, path: dotted(path) };
}

const dotted = (path: Path): string => (path.length === 0 ? 'checks' : path.join('.'));

function tooLargeDetail(value: unknown): GuardrailErrorDetail | null {
  if (depthOf(value, 0) > GUARDRAIL_LIMITS.nestingMax) {
    return detail(['checks'], 'nesting', 'is nested too deeply', undefined);
  }
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes > GUARDRAIL_LIMITS.documentBytesMax) {
    const message = `must not exceed ${String(GUARDRAIL_LIMITS.documentBytesMax)} bytes`;
    return detail(['checks'], 'size', message, undefined);
  }
  const patterns = patternsFault(value);
  return patterns === null ? null : detail(['checks'], 'patterns', patterns, undefined);
}

function depthOf(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > GUARDRAIL_LIMITS.nestingMax) return depth;
  let deepest = depth;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, depth + 1));
  return deepest;
}
