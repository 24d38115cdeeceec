import { isObject } from '@gw/kernel';
import { detail, type ConfigErrorDetail } from './details';
import { CONFIG_LIMITS } from './bounds';
import { isForbiddenName } from './names';
import { patternsFault } from './pattern-budget';
import type { Path } from './report';

/**
 * Checks the bounds that every later step relies on: nesting, size, number and depth of targets,
 * and no member names that would access JavaScript objects. Names in JSON schemas are exempt,
 * because they are data. The caller does not check a document further that fails here.
 */
export function checkStructure(value: unknown): ConfigErrorDetail[] {
  const details: ConfigErrorDetail[] = [];
  checkMembers(value, [], details);
  // Serializing a document that is nested too deeply would exhaust the stack.
  if (details.length > 0) return details;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes > CONFIG_LIMITS.bytesMax) {
    return [detail([], 'size', `must not exceed ${String(CONFIG_LIMITS.bytesMax)} bytes`, bytes)];
  }
  checkTargets(value, details);
  const patterns = patternsFault(value);
  if (patterns !== null) details.push(detail([], 'patterns', patterns, undefined));
  return details;
}

function checkMembers(value: unknown, path: Path, details: ConfigErrorDetail[]): void {
  if (typeof value !== 'object' || value === null || details.length >= CONFIG_LIMITS.detailsMax) return;
  if (path.length >= CONFIG_LIMITS.nestingMax) {
    details.push(
      detail(path, 'nesting', `nests deeper than ${String(CONFIG_LIMITS.nestingMax)} levels`, value),
    );
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      if (typeof item === 'object') checkMembers(item, [...path, index], details);
    });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key];
    if (isForbiddenName(key) && !isSchemaName(path, key))
      details.push(detail(here, 'forbidden_key', ruleFor(key), member));
    else checkMembers(member, here, details);
  }
}

/** Keywords of JSON Schema whose members are names that the author chooses. */
const NAME_LISTS: ReadonlySet<unknown> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);

/**
 * Returns whether the member is a name in a JSON schema, where `constructor` and `prototype` are
 * allowed. `__proto__` is never allowed.
 */
const isSchemaName = (path: Path, key: string): boolean => key !== '__proto__' && NAME_LISTS.has(path.at(-1));

const ruleFor = (key: string): string =>
  key === '__proto__'
    ? 'is not allowed as a key; rename or remove it'
    : 'is allowed only as the name of a property in a JSON schema; rename or remove it';

function checkTargets(root: unknown, details: ConfigErrorDetail[]): void {
  let level: readonly unknown[] = [root];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > CONFIG_LIMITS.depthMax) {
      const message = `has targets deeper than ${String(CONFIG_LIMITS.depthMax)} levels`;
      details.push(detail([], 'depth', message, depth));
      break;
    }
    level = level.flatMap(targetsOf);
    count += level.length;
  }
  if (count > CONFIG_LIMITS.targetsMax) {
    details.push(detail([], 'targets', `has more than ${String(CONFIG_LIMITS.targetsMax)} targets`, count));
  }
}

const targetsOf = (node: unknown): readonly unknown[] =>
  isObject(node) && Array.isArray(node['targets']) ? node['targets'] : [];
