import { isObject } from '@gw/kernel';
import { checkHeaders, checkHosts } from './addresses';
import { detail, type ConfigErrorDetail } from './details';
import { CONFIG_LIMITS } from './bounds';
import { parseParamPath } from './param-path';
import type { ConfigNode as Node, Path, Report, ValidateConfigOptions } from './report';
import { checkStrategy, type Strategies } from './strategy-rules';

/**
 * Checks the rules that the schema cannot express. Accepts documents that the schema refuses, and
 * leaves members of the wrong type to the schema.
 */
export function checkRules(
  value: unknown,
  options: ValidateConfigOptions,
  strategies: Strategies,
): ConfigErrorDetail[] {
  const details: ConfigErrorDetail[] = [];
  checkNode(value, [], { options, strategies }, (...failure) => details.push(detail(...failure)));
  const patterns = countPatterns(value, strategies);
  if (patterns > CONFIG_LIMITS.patternsMax) {
    details.push(
      detail([], 'patterns', `has more than ${String(CONFIG_LIMITS.patternsMax)} patterns`, patterns),
    );
  }
  return details;
}

function countPatterns(node: unknown, strategies: Strategies): number {
  if (!isObject(node)) return 0;
  const settings = isObject(node['strategy']) ? node['strategy'] : {};
  const targets: readonly unknown[] = Array.isArray(node['targets']) ? node['targets'] : [];
  const own = strategies.get(settings['mode'])?.patterns?.(settings) ?? 0;
  return targets.reduce((sum: number, target) => sum + countPatterns(target, strategies), own);
}

/** Inputs of the checks of a node. */
interface CheckContext {
  readonly options: ValidateConfigOptions;
  readonly strategies: Strategies;
}

function checkNode(node: unknown, path: Path, context: CheckContext, report: Report): void {
  if (!isObject(node)) return;
  const { options, strategies } = context;
  checkProvider(node, path, options, report);
  checkHosts(node, path, options, report);
  checkHeaders(node, path, report);
  checkDropParams(node, path, report);
  checkGuardrails(node, path, options, report);
  checkCache(node, path, options, report);
  const targets: readonly unknown[] = Array.isArray(node['targets']) ? node['targets'] : [];
  if (isObject(node['strategy']))
    checkStrategy(node, node['strategy'], { targets, strategies, path, report });
  targets.forEach((target, index) => {
    checkNode(target, [...path, 'targets', index], context, report);
  });
}

function checkProvider(node: Node, path: Path, options: ValidateConfigOptions, report: Report): void {
  const { provider, virtual_key: virtualKey } = node;
  if (provider !== undefined && virtualKey !== undefined) {
    report([...path, 'virtual_key'], 'conflict', 'cannot be combined with provider', virtualKey);
  }
  for (const [key, name] of Object.entries({ provider, virtual_key: virtualKey })) {
    if (typeof name !== 'string') continue;
    const isSlug = key === 'virtual_key' || name.startsWith('@');
    const isKnown = isSlug ? options.isKnownSavedProvider : options.isKnownProvider;
    if (isKnown && !isKnown(name.replace(/^@/, ''))) {
      report([...path, key], 'unknown_provider', 'is not a provider of this workspace', name);
    }
  }
}

function checkDropParams(node: Node, path: Path, report: Report): void {
  if (!Array.isArray(node['drop_params'])) return;
  node['drop_params'].forEach((text: unknown, index) => {
    const parsed = typeof text === 'string' ? parseParamPath(text) : null;
    if (typeof parsed === 'string') report([...path, 'drop_params', index], 'path', parsed, text);
  });
}

/**
 * Checks the target that computes the embeddings like any other target: its provider and its
 * address.
 */
function checkCache({ cache }: Node, path: Path, options: ValidateConfigOptions, report: Report): void {
  if (!isObject(cache)) return;
  const here = [...path, 'cache'];
  if (cache['mode'] === 'simple') {
    for (const key of ['threshold', 'embeddings']) {
      if (cache[key] !== undefined) {
        report([...here, key], 'misplaced', 'has no effect in mode simple', cache[key]);
      }
    }
  }
  if (!isObject(cache['embeddings'])) return;
  checkProvider(cache['embeddings'], [...here, 'embeddings'], options, report);
  checkHosts(cache['embeddings'], [...here, 'embeddings'], options, report);
}

const GUARDRAIL_LISTS = [
  'input_guardrails',
  'output_guardrails',
  'before_request_hooks',
  'after_request_hooks',
];

const GUARDRAIL_SETTINGS = new Set([
  'id',
  'type',
  'guardrail_version_id',
  'deny',
  'async',
  'sequential',
  'fail_open',
  'monitor',
  'message',
  'on_stream',
  'timeout',
  'on_fail',
  'on_success',
  'checks',
]);

/** Returns the number of checks of an inline guardrail, in the long or in the short form. */
function countInlineChecks(entry: unknown): number {
  if (!isObject(entry)) return 0;
  const listed = Array.isArray(entry['checks']) ? entry['checks'].length : 0;
  return listed + Object.keys(entry).filter((name) => !GUARDRAIL_SETTINGS.has(name)).length;
}

function checkGuardrails(node: Node, path: Path, options: ValidateConfigOptions, report: Report): void {
  const entries = GUARDRAIL_LISTS.flatMap((key) =>
    Array.isArray(node[key]) ? (node[key] as unknown[]) : [],
  );
  const checks = entries.reduce<number>((sum, entry) => sum + countInlineChecks(entry), 0);
  const most = CONFIG_LIMITS.writtenOutChecksMax;
  if (checks > most) {
    const message = `has ${String(checks)} inline checks, at most ${String(most)} are allowed; save them as guardrails`;
    report(path, 'checks', message, undefined);
  }
  for (const key of GUARDRAIL_LISTS) {
    const list = node[key];
    if (!Array.isArray(list)) continue;
    list.forEach((entry: unknown, index) => {
      const here = [...path, key, index];
      const slug = savedGuardrail(entry);
      if (slug === null) {
        report(here, 'guardrail', 'must name a saved guardrail or a check', entry);
      } else if (slug !== '' && options.isKnownGuardrail && !options.isKnownGuardrail(slug)) {
        report(here, 'unknown_guardrail', 'is not a guardrail of this workspace', slug);
      }
    });
  }
}

/**
 * Returns the slug of the saved guardrail that an entry names; an empty text for an inline
 * guardrail (or a value whose type the schema refuses); null for an entry that names neither a
 * guardrail nor a check.
 */
export function savedGuardrail(entry: unknown): string | null {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return '';
  const isInline =
    Object.keys(entry).some((key) => !GUARDRAIL_SETTINGS.has(key)) ||
    (Array.isArray(entry['checks']) && entry['checks'].length > 0);
  if (isInline) return '';
  return typeof entry['id'] === 'string' && entry['id'] !== '' ? entry['id'] : null;
}
