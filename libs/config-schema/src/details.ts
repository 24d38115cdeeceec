import { nearestName, type ErrorDetail } from '@gw/kernel';
import type { ErrorObject } from 'ajv';
import type { Path } from './report';
import { isProviderField } from './schema';

/**
 * One error of a config: its path with dots (`targets.0.weight`; `config` for the document itself),
 * the broken rule and the value.
 */
export interface ConfigErrorDetail extends ErrorDetail {
  /**
   * The broken rule: a JSON Schema keyword or a name of ours, such as `type`, `enum`,
   * `unknown_key`, `weights`.
   */
  readonly rule: string;
  /**
   * A scalar unchanged but cut at 200 characters, otherwise its type in parentheses. Never shows
   * secrets.
   */
  readonly value: string | number | boolean | null;
}

const VALUE_LENGTH_MAX = 200;

export function detail(path: Path, rule: string, message: string, value: unknown): ConfigErrorDetail {
  return {
    path: path.length === 0 ? 'config' : path.join('.').slice(0, 500),
    message,
    rule,
    value: shown(path, value),
  };
}

function shown(path: Path, value: unknown): ConfigErrorDetail['value'] {
  if (value === undefined) return '(absent)';
  if (Array.isArray(value)) return '(list)';
  if (typeof value === 'object' && value !== null) return '(object)';
  if (path.some((part) => typeof part === 'string' && (part === 'api_key' || isProviderField(part)))) {
    return '(hidden)';
  }
  // A URL can contain a password before an @ and a token in its query.
  if (typeof value === 'string') {
    return holdsSecret(value) ? '(hidden)' : value.slice(0, VALUE_LENGTH_MAX);
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Returns whether a text looks like a URL with a user name or a query. */
function holdsSecret(text: string): boolean {
  const slashes = text.indexOf('//');
  return slashes !== -1 && (text.includes('?', slashes) || /\/\/[^/]*@/.test(text));
}

/** Converts an ajv error (of a validator with `verbose`) to a detail. */
export function schemaDetail(error: ErrorObject): ConfigErrorDetail {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params: Readonly<Record<string, unknown>> = error.params;
  const schema: Readonly<Record<string, unknown>> = error.parentSchema ?? {};
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = Object.keys(schema['properties'] ?? {});
      return {
        ...detail([...path, key], 'unknown_key', unknownKey(key, known), undefined),
        value: key.slice(0, VALUE_LENGTH_MAX),
      };
    }
    case 'required':
    case 'dependentRequired': {
      const missing = String(params['missingProperty']);
      const context =
        error.keyword === 'dependentRequired' ? ` together with ${String(params['property'])}` : '';
      return detail([...path, missing], 'required', `is required${context}`, undefined);
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as readonly unknown[]).join(', ');
      return detail(path, 'enum', `must be one of: ${allowed}`, error.data);
    }
    case 'pattern':
      return detail(path, 'pattern', String(schema['description']), error.data);
    case 'minProperties':
      return detail(path, 'empty', 'must not be empty', error.data);
    default:
      return detail(path, error.keyword, ruleOf(error, path), error.data);
  }
}

const CHECK =
  'is not a setting of a guardrail, so it names a check, whose parameters must be an object; remove it if it is not a check';

function ruleOf({ keyword, message }: ErrorObject, path: Path): string {
  return keyword === 'type' && isCheck(path) ? CHECK : (message ?? 'is not valid');
}

/** Returns whether the path is a member of an inline guardrail, where checks are named too. */
const isCheck = (path: Path): boolean => /_(?:guardrails|request_hooks)$/.test(String(path.at(-3)));

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestName(key, known);
  return near === null ? 'is not a known key' : `is not a known key; did you mean ${near}?`;
}
