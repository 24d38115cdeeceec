import { defineCheck, type ParameterReport } from '../check';
import { object } from '../parameters';
import { REQUEST_TYPES } from '../request-types';

interface Parameters {
  readonly allowedTypes?: readonly string[] | string;
  readonly blockedTypes?: readonly string[] | string;
}

const types = {
  type: ['array', 'string'],
  items: { type: 'string', maxLength: 100 },
  maxItems: 100,
  maxLength: 4_000,
};

export const allowedRequestTypes = defineCheck<Parameters>({
  id: 'default.allowedRequestTypes',
  doc: 'The kind of request is allowed and not blocked; blocked takes precedence. Lists, or comma-separated names.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({ allowedTypes: types, blockedTypes: types }),
  example: { allowedTypes: ['chatComplete', 'embed'] },
  prepare({ allowedTypes, blockedTypes }, report) {
    const allowed = namesOf(allowedTypes, 'allowedTypes', report);
    const blocked = namesOf(blockedTypes, 'blockedTypes', report);
    for (const name of blocked) {
      if (allowed.has(name))
        report(['blockedTypes'], 'conflict', `${name} is both allowed and blocked`, name);
    }
    return {
      evaluate({ facts: { requestType, pathType, metadata } }) {
        const kinds = [requestType, ...(pathType === undefined ? [] : [pathType])];
        // The key's owner may narrow the kinds by metadata, but never widen what the guardrail
        // allows.
        const supported = listOfNames(metadata['supported_endpoints']);
        const excluded = listOfNames(metadata['blocked_endpoints']);
        const verdict =
          !kinds.some((kind) => blocked.has(kind) || excluded.includes(kind)) &&
          (allowed.size === 0 || allowed.has(requestType)) &&
          (supported.length === 0 || supported.includes(requestType));
        return { verdict, data: { requestType } };
      },
    };
  },
});

const listOfNames = (value: readonly string[] | string | undefined): readonly string[] =>
  (typeof value === 'string' ? value.split(',') : (value ?? [])).map((name) => name.trim()).filter(Boolean);

function namesOf(
  value: readonly string[] | string | undefined,
  key: string,
  report: ParameterReport,
): ReadonlySet<string> {
  const names = listOfNames(value);
  for (const name of names) {
    if (!REQUEST_TYPES.includes(name)) report([key], 'enum', `${name} is not a kind of request`, name);
  }
  return new Set(names);
}
